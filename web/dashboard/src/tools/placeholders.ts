/** The placeholder for the customer's name in a canned reply. */
export const NAME_PLACEHOLDER = '{customer.name}'

/** Returns a canned reply with the customer's name filled in. */
export const withName = (text: string, name: string): string =>
  text.replaceAll(NAME_PLACEHOLDER, name)

/** Replaces the selected part of a text. Returns the text and the new position of the caret. */
export function withInserted(
  text: string,
  { from, to }: { from: number; to: number },
  put: string,
): { text: string; caret: number } {
  return { text: text.slice(0, from) + put + text.slice(to), caret: from + put.length }
}
