import type { Row } from '../../app/shapes'

/** The order of a list when the pointer entered it: room ids, each with the last message at that
 * time. */
export type ListSnapshot = ReadonlyMap<string, string>

export function snapshotOf(rows: readonly Row[]): ListSnapshot {
  return new Map(rows.map((row) => [row.room_id, lastMessageOf(row)]))
}

/** Returns the rows in frozen order but with their current content, so that nothing moves under the
 * pointer. `news` counts rows that are new or would have moved because of a message. Rows that
 * others removed stay; those in `removed` disappear. `more` are the rows below the frozen ones. */
export function frozenRows(
  rows: readonly Row[],
  snapshot: ListSnapshot,
  before: readonly Row[],
  removed: ReadonlySet<string>,
): { rows: Row[]; more: Row[]; news: number } {
  const now = new Map(rows.map((row) => [row.room_id, row]))
  const was = new Map(
    before.flatMap((row) => (removed.has(row.room_id) ? [] : [[row.room_id, row]])),
  )
  const frozen = [...snapshot.keys()].flatMap((room) => now.get(room) ?? was.get(room) ?? [])
  const last = rows.findLastIndex((row) => snapshot.has(row.room_id))
  const more = rows.slice(last + 1)
  const news = rows.slice(0, last + 1).filter((row) => {
    return snapshot.get(row.room_id) !== lastMessageOf(row)
  })
  return { rows: [...frozen, ...more], more, news: news.length }
}

/** Returns a value that changes with each message of the room. */
function lastMessageOf(row: Row): string {
  return row.last_comment_id ?? row.last_comment_timestamp ?? ''
}
