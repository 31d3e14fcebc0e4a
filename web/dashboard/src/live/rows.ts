import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Frame } from '../../../shared/live'
import type { Me, RoomPage, Row } from '../app/shapes'
import { type Filters, filtersOf, matchesFilters } from '../inbox/filters'
import { isInView, type View } from '../inbox/views'

type Rooms = InfiniteData<RoomPage>

export const roomKey = (room: string) => ['live', 'room', room] as const

/** The last row that a frame brought for each room; null if the room is no longer visible to the
 * user. A list requested before the frame may arrive after it and lack the change. */
const recentRows = new Map<string, { at: number; row: Row | null }>()
/** Time for which rows of frames are kept; requests take less. */
const RECENT_ROWS_MS = 60_000

/** Applies a frame about a conversation to the cached lists and rows. */
export function applyRow(queries: QueryClient, me: Me, { type, data }: Frame): void {
  if (type === 'room') {
    const { row } = data as { row: Row }
    rememberRow(row.room_id, row)
    putRow(queries, me, row)
  }
  if (type === 'room_gone') {
    const { room_id } = data as { room_id: string }
    rememberRow(room_id, null)
    void queries.invalidateQueries({ queryKey: roomKey(room_id), refetchType: 'active' })
    changeLists(queries, (rows) => rows.filter((row) => row.room_id !== room_id))
  }
}

function rememberRow(room: string, row: Row | null): void {
  const now = performance.now()
  recentRows.set(room, { at: now, row })
  for (const [room, { at }] of recentRows) if (now - at > RECENT_ROWS_MS) recentRows.delete(room)
}

/** Applies the frames that arrived since `begun`, when the request was sent, to the first page of a
 * list. */
export function withRecentRows(
  rows: Row[],
  begun: number,
  me: Me,
  view: View,
  filters: Filters,
): Row[] {
  let now = rows
  for (const [room, { at, row }] of recentRows) {
    if (at < begun) continue
    const read = now.find((it) => it.room_id === room)
    if (row && read && read.version > row.version) continue
    const isThere =
      row !== null && isInView(view, me, row) && (matchesFilters(filters, row) || read)
    now = isThere ? withReplaced(now, row, filters) : now.filter((it) => it.room_id !== room)
  }
  return now
}

/** Puts a row into the cached lists, unless a newer version is cached. */
export function putRow(queries: QueryClient, me: Me, row: Row): void {
  if (newestVersion(queries, row) !== row) return
  queries.setQueryData(roomKey(row.room_id), row)
  changeLists(queries, (rows, view, filters) => {
    const known = rows.some((it) => it.room_id === row.room_id)
    const isThere =
      isInView(view, me, row) && (matchesFilters(filters, row) || (known && filters.q !== ''))
    return isThere
      ? withReplaced(rows, row, filters)
      : rows.filter((it) => it.room_id !== row.room_id)
  })
}

/** Returns the cached row of the conversation that a frame is about. */
export function cachedRow(queries: QueryClient, { type, data }: Frame): Row | undefined {
  if (type !== 'room') return undefined
  const { room_id } = (data as { row: Row }).row
  const known = queries.getQueryData<Row>(roomKey(room_id))
  if (known) return known
  const lists = queries.getQueriesData<Rooms>({ queryKey: ['live', 'rooms'] })
  for (const [, rooms] of lists) {
    for (const page of rooms?.pages ?? []) {
      const row = page.data.customer_rooms.find((it) => it.room_id === room_id)
      if (row) return row
    }
  }
  return undefined
}

/** Returns the newer of a row and its cached version: responses can be older than frames. */
export function newestVersion(queries: QueryClient, row: Row): Row {
  const known = queries.getQueryData<Row>(roomKey(row.room_id))
  return known && known.version > row.version ? known : row
}

/** Changes fields of a cached row before the server confirms it. */
export function patchRow(queries: QueryClient, room: string, patch: Partial<Row>): void {
  const patched = (row: Row) => (row.room_id === room ? { ...row, ...patch } : row)
  queries.setQueryData<Row>(roomKey(room), (row) => row && patched(row))
  changeLists(queries, (rows) => rows.map(patched))
}

/** Returns the rows with a row replaced and moved to its position. A row of the same version
 * changed only for this user (as seen) and keeps its position. */
function withReplaced(rows: Row[], row: Row, filters: Filters): Row[] {
  const known = rows.find((it) => it.room_id === row.room_id)
  if (known?.version === row.version) {
    return rows.map((it) => (it === known ? row : it))
  }
  const others = rows.filter((it) => it !== known)
  return withInserted(others, row, filters)
}

/** Inserts a row: by last update, newest first; or by waiting time, longest first, followed by rows
 * that do not wait. */
export function withInserted(others: Row[], row: Row, { sort }: Filters): Row[] {
  if (sort === 'updated') {
    // A changed tag or name changes the row's version but not its last update.
    const at = others.findIndex((it) => isBefore(row, it))
    return at === -1 ? [...others, row] : others.toSpliced(at, 0, row)
  }
  const since = (row: Row) => (row.waiting_since ? Date.parse(row.waiting_since) : Infinity)
  const own = since(row)
  const at = others.findIndex((it) => since(it) > own || since(it) === Infinity)
  return at === -1 ? [...others, row] : others.toSpliced(at, 0, row)
}

/** Whether a row is before another one, in the server's order. */
const isBefore = (row: Row, other: Row): boolean =>
  row.updated_at === other.updated_at ? row.id > other.id : row.updated_at > other.updated_at

/** Changes the rows of every cached list. All rows move to the first page of their list; further
 * pages are loaded by their own cursors. */
function changeLists(
  queries: QueryClient,
  rowsOf: (rows: Row[], view: View, filters: Filters) => Row[],
): void {
  for (const [key, rooms] of queries.getQueriesData<Rooms>({ queryKey: ['live', 'rooms'] })) {
    if (!rooms) continue
    const [, , view, search] = key as unknown as [string, string, View, string]
    const before = rooms.pages.flatMap((page) => page.data.customer_rooms)
    const rows = rowsOf(before, view, filtersOf(search))
    const pages = rooms.pages.map((page, at) => ({
      ...page,
      data: { customer_rooms: at === 0 ? rows : [] },
    }))
    queries.setQueryData<Rooms>(key, { ...rooms, pages })
  }
}
