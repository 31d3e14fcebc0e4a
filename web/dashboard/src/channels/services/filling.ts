// The values of a provider form and their errors, found by patterns or by the server.
import { CallError } from '../../../../shared/call'
import type { Field, ServiceText } from './kinds'

/** Values by field name. */
export type Filled = Record<string, string>

/** Returns the values for the server, trimmed and without empty ones. Copied values often have
 * surrounding spaces. */
export function given(fields: readonly Field[], filled: Filled): Filled {
  const trimmed = fields.map(({ name }) => [name, (filled[name] ?? '').trim()] as const)
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''))
}

/** Returns the text key of each invalid field's error, before any request. */
export function wrongIn(
  fields: readonly Field[],
  filled: Filled,
  mayBeEmpty = false,
): Record<string, ServiceText> {
  const all = given(fields, filled)
  const wrong: Record<string, ServiceText> = {}
  for (const { name, isRequired, pattern, wrong: why } of fields) {
    const text = all[name]
    if (text === undefined && isRequired && !mayBeEmpty) wrong[name] = 'wrong.empty'
    if (text !== undefined && !pattern.test(text)) wrong[name] = why
  }
  return wrong
}

/** The errors of a response: by field, and those that belong to no field. */
export interface Refused {
  fields: Record<string, string>
  others: string[]
}

/** Assigns the errors of a response to fields: each message starts with the name of its field. */
export function refusedIn(error: unknown, fields: readonly Field[]): Refused {
  const refused: Refused = { fields: {}, others: [] }
  if (!(error instanceof CallError)) return refused
  for (const said of error.details.length > 0 ? error.details : [error.message]) {
    const field = fields.find(({ name }) => said.startsWith(`${name} `))
    if (!field) refused.others.push(said)
    else refused.fields[field.name] ??= sentence(said.slice(field.name.length + 1))
  }
  return refused
}

/** Removes the redundant start of a message: "is not good: Telegram does not take the token." */
function sentence(said: string): string {
  const why = said.replace(/^is not good: /, '')
  return why.charAt(0).toUpperCase() + why.slice(1)
}
