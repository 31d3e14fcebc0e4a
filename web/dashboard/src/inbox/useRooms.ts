import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { Me, Page, Row } from '../app/shapes'
import { caughtUp, newestOf } from '../live/rows'
import { type Filters, searchOf } from './filters'
import { asked, belongs, type View } from './views'

export type RoomPage = Page<{ customer_rooms: Row[] }>

/** Everything that live frames make old begins with `live`. The filters stand there as an address
 * says them. */
export const roomsKey = (view: View, filters: Filters) =>
  ['live', 'rooms', view, searchOf(filters)] as const

/** The conversations of a view, page by page. A page may be short and still go on. */
export function useRooms(me: Me, view: View, filters: Filters) {
  const queries = useQueryClient()
  const query = useInfiniteQuery({
    queryKey: roomsKey(view, filters),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const path = withQuery('/api/v2/customer_rooms', {
        ...asked(view, me, filters),
        cursor_after: pageParam,
      })
      const begun = performance.now()
      const page = await call<RoomPage>('GET', path, undefined, signal)
      // A frame may have told more meanwhile than was true when the page was read.
      const rows = page.data.customer_rooms.flatMap((read) => {
        const row = newestOf(queries, read)
        return row === read || belongs(view, me, row) ? [row] : []
      })
      const isFirst = pageParam === undefined
      const now = isFirst ? caughtUp(rows, begun, me, view, filters) : rows
      return { ...page, data: { customer_rooms: now } }
    },
    getNextPageParam: (page) => page.meta.after ?? undefined,
  })
  const rows = useMemo(() => distinct(query.data?.pages ?? []), [query.data])
  return { ...query, rows }
}

/** A row that moved up while pages were read may stand on two of them. */
function distinct(pages: RoomPage[]): Row[] {
  const rows = new Map<string, Row>()
  for (const page of pages) {
    for (const row of page.data.customer_rooms)
      if (!rows.has(row.room_id)) rows.set(row.room_id, row)
  }
  return [...rows.values()]
}
