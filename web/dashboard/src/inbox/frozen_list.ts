import type { Row } from '../app/shapes'

/** The order of a list when the pointer entered it: room ids, each with the last message at that
 * time. */
export type ListSnapshot = ReadonlyMap<string, string>

export function snapshotOf(rows: readonly Row[]): ListSnapshot {
  return new Map(rows.map((row) => [row.room_id, lastMessageOf(row)]))
}

/** Returns the rows in frozen order but with their current content, so that nothing moves under the
 * pointer. `news` counts rows that are new or would have moved because of a message. Removed rows
 * stay, except those in `sent`. `more` are the rows below the frozen ones. */
export function frozenRows(
  rows: readonly Row[],
  standing: ListSnapshot,
  before: readonly Row[],
  sent: ReadonlySet<string>,
): { rows: Row[]; more: Row[]; news: number } {
  const now = new Map(rows.map((row) => [row.room_id, row]))
  const was = new Map(before.flatMap((row) => (sent.has(row.room_id) ? [] : [[row.room_id, row]])))
  const kept = [...standing.keys()].flatMap((room) => now.get(room) ?? was.get(room) ?? [])
  const last = rows.findLastIndex((row) => standing.has(row.room_id))
  const more = rows.slice(last + 1)
  const news = rows.slice(0, last + 1).filter((row) => {
    return standing.get(row.room_id) !== lastMessageOf(row)
  })
  return { rows: [...kept, ...more], more, news: news.length }
}

/** Returns a value that changes with each message of the room. */
function lastMessageOf(row: Row): string {
  return row.last_comment_id ?? row.last_comment_timestamp ?? ''
}
