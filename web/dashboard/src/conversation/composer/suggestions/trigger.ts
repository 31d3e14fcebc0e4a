/** A sign that opens suggestions: `/` for canned replies, `:` for emoji; and the text behind it. */
export interface Trigger {
  kind: 'canned' | 'emoji'
  /** Position of the sign in the text. */
  from: number
  /** Text between the sign and the caret. */
  query: string
}

const CANNED = /(?:^|\s)\/([^\s/]*)$/
const EMOJI = /(?:^|\s):([\p{L}\p{N}_+-]*)$/u

/** Returns the trigger before the caret, if any. Signs inside words and URLs are not triggers. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret)
  for (const [kind, pattern] of [
    ['canned', CANNED],
    ['emoji', EMOJI],
  ] as const) {
    const query = pattern.exec(before)?.[1]
    if (query !== undefined) return { kind, from: caret - query.length - 1, query }
  }
  return null
}
