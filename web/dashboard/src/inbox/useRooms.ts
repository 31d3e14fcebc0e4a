import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { Me, RoomPage, Row } from '../app/shapes'
import { newestVersion, withRecentRows } from '../live/rows'
import { type Filters, searchOf } from './filters'
import { isInView, queryOf, type View } from './views'

/** Returns the query key of a list. Keys that start with `live` are invalidated when the live
 * connection was interrupted; the filters are in the key as in the URL. */
export const roomsKey = (view: View, filters: Filters) =>
  ['live', 'rooms', view, searchOf(filters)] as const

/** Loads the conversations of a view, page by page. A short page does not mean that it is the last
 * one. */
export function useRooms(me: Me, view: View, filters: Filters) {
  const queries = useQueryClient()
  const query = useInfiniteQuery({
    queryKey: roomsKey(view, filters),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const path = withQuery('/api/v2/customer_rooms', {
        ...queryOf(view, me, filters),
        cursor_after: pageParam,
      })
      const begun = performance.now()
      const page = await call<RoomPage>('GET', path, undefined, signal)
      // A frame may have brought newer versions of rows while the page was loading.
      const rows = page.data.customer_rooms.flatMap((read) => {
        const row = newestVersion(queries, read)
        return row === read || isInView(view, me, row) ? [row] : []
      })
      const isFirst = pageParam === undefined
      const now = isFirst ? withRecentRows(rows, begun, me, view, filters) : rows
      return { ...page, data: { customer_rooms: now } }
    },
    getNextPageParam: (page) => page.meta.after ?? undefined,
  })
  const rows = useMemo(() => distinct(query.data?.pages ?? []), [query.data])
  return { ...query, rows }
}

/** Removes duplicates: a row that moved up between two requests is on both pages. */
function distinct(pages: RoomPage[]): Row[] {
  const rows = new Map<string, Row>()
  for (const page of pages) {
    for (const row of page.data.customer_rooms)
      if (!rows.has(row.room_id)) rows.set(row.room_id, row)
  }
  return [...rows.values()]
}
