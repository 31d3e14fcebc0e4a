/** What stands for the customer's name in a canned reply, until somebody picks it. */
export const NAME_PLACE = '{customer.name}'

/** A canned reply as it reads for a customer. */
export const filled = (text: string, name: string): string => text.replaceAll(NAME_PLACE, name)

/** A text with something put in place of what is marked in it, and where the caret is then. */
export function inserted(
  text: string,
  { from, to }: { from: number; to: number },
  put: string,
): { text: string; caret: number } {
  return { text: text.slice(0, from) + put + text.slice(to), caret: from + put.length }
}
