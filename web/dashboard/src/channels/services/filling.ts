// What was filled in, and what is wrong with it: by its looks, or by what the server says.
import { CallError } from '../../../../shared/call'
import type { Field, ServiceText } from './kinds'

/** By the names of fields. */
export type Filled = Record<string, string>

/** As the server gets it: who copies brings blanks along, and what is empty is not there. */
export function given(fields: readonly Field[], filled: Filled): Filled {
  const trimmed = fields.map(({ name }) => [name, (filled[name] ?? '').trim()] as const)
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''))
}

/** What is wrong with each field, before anybody is asked. */
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

/** What the server refused: by the field that it names, and what is no field's. */
export interface Refused {
  fields: Record<string, string>
  others: string[]
}

/** A refusal begins with the name of the field that it is about. */
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

/** "is not good: Telegram does not take the token." says twice that it is not good. */
function sentence(said: string): string {
  const why = said.replace(/^is not good: /, '')
  return why.charAt(0).toUpperCase() + why.slice(1)
}
