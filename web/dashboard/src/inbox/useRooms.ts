import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { Me, Page, Row } from '../app/shapes'
import { asked, type View } from './views'

/** Everything that live frames make old begins with `live`. */
export const roomsKey = (view: View, text: string) => ['live', 'rooms', view, text] as const

/** The conversations of a view, page by page. A page may be short and still go on. */
export function useRooms(me: Me, view: View, text: string) {
  const query = useInfiniteQuery({
    queryKey: roomsKey(view, text),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const path = withQuery('/api/v2/customer_rooms', {
        ...asked(view, me, text),
        cursor_after: pageParam,
      })
      return call<Page<{ customer_rooms: Row[] }>>('GET', path, undefined, signal)
    },
    getNextPageParam: (page) => page.meta.after ?? undefined,
  })
  const rows = useMemo(
    () => query.data?.pages.flatMap((page) => page.data.customer_rooms) ?? [],
    [query.data],
  )
  return { ...query, rows }
}
