import type { Row } from '../app/shapes'

/** How a list stood when somebody began to point at it: rooms in order, with what was new then. */
export type Standing = ReadonlyMap<string, string>

export function standingOf(rows: readonly Row[]): Standing {
  return new Map(rows.map((row) => [row.room_id, newsMark(row)]))
}

/** The rows as they stood, with what they say now: nothing moves under a pointer. What is new, and
 * what would have moved because something was said, is counted; what is gone is kept as it was, unless
 * whoever points there sent it away (`sent`); what comes below (`more`) moves nothing. */
export function held(
  rows: readonly Row[],
  standing: Standing,
  before: readonly Row[],
  sent: ReadonlySet<string>,
): { rows: Row[]; more: Row[]; news: number } {
  const now = new Map(rows.map((row) => [row.room_id, row]))
  const was = new Map(before.flatMap((row) => (sent.has(row.room_id) ? [] : [[row.room_id, row]])))
  const kept = [...standing.keys()].flatMap((room) => now.get(room) ?? was.get(room) ?? [])
  const last = rows.findLastIndex((row) => standing.has(row.room_id))
  const more = rows.slice(last + 1)
  const news = rows.slice(0, last + 1).filter((row) => {
    return standing.get(row.room_id) !== newsMark(row)
  })
  return { rows: [...kept, ...more], more, news: news.length }
}

/** Differs after each message. */
function newsMark(row: Row): string {
  return row.last_comment_id ?? row.last_comment_timestamp ?? ''
}
