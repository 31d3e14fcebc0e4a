/** What a writer asks for by a sign: `/` for a canned reply, `:` for an emoji. */
export interface Trigger {
  kind: 'canned' | 'emoji'
  /** Where the sign stands. */
  from: number
  /** What stands between the sign and the caret. */
  query: string
}

const CANNED = /(?:^|\s)\/([^\s/]*)$/
const EMOJI = /(?:^|\s):([\p{L}\p{N}_+-]*)$/u

/** Looks at what stands before the caret. Signs within words and addresses ask for nothing. */
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
