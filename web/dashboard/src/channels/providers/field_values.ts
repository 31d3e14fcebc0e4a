// The values of a provider form and their errors, found by patterns or by the server.
import { CallError } from '../../../../shared/call'
import type { Field, ProviderText } from './kinds'

/** Values by field name. */
export type FieldValues = Record<string, string>

/** Returns the values for the server, trimmed and without empty ones. Copied values often have
 * surrounding spaces. */
export function trimmedValues(fields: readonly Field[], filled: FieldValues): FieldValues {
  const trimmed = fields.map(({ name }) => [name, (filled[name] ?? '').trim()] as const)
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''))
}

/** Returns the text key of each invalid field's error, before any request. */
export function errorsIn(
  fields: readonly Field[],
  filled: FieldValues,
  mayBeEmpty = false,
): Record<string, ProviderText> {
  const all = trimmedValues(fields, filled)
  const wrong: Record<string, ProviderText> = {}
  for (const { name, isRequired, pattern, wrong: why } of fields) {
    const text = all[name]
    if (text === undefined && isRequired && !mayBeEmpty) wrong[name] = 'wrong.empty'
    if (text !== undefined && !pattern.test(text)) wrong[name] = why
  }
  return wrong
}

/** The errors of a response: by field, and those that belong to no field. */
export interface ServerErrors {
  fields: Record<string, string>
  others: string[]
}

/** Assigns the errors of a response to fields: each message starts with the name of its field. */
export function serverErrorsIn(error: unknown, fields: readonly Field[]): ServerErrors {
  const refused: ServerErrors = { fields: {}, others: [] }
  if (!(error instanceof CallError)) return refused
  for (const message of error.details.length > 0 ? error.details : [error.message]) {
    const field = fields.find(({ name }) => message.startsWith(`${name} `))
    if (!field) refused.others.push(message)
    else refused.fields[field.name] ??= sentence(message.slice(field.name.length + 1))
  }
  return refused
}

/** Removes the redundant start of a message: "is not good: Telegram does not take the token." */
function sentence(said: string): string {
  const why = said.replace(/^is not good: /, '')
  return why.charAt(0).toUpperCase() + why.slice(1)
}
