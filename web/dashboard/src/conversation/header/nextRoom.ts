import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Page, Row } from '../../app/shapes'
import type { View } from '../../inbox/views'

type Rooms = InfiniteData<Page<{ customer_rooms: Row[] }>>

/** Returns the room below this one in the visible list, or the one above it at the end of the
 * list. */
export function nextRoom(queries: QueryClient, view: View, room: string): string | null {
  const lists = queries.getQueriesData<Rooms>({ queryKey: ['live', 'rooms', view], type: 'active' })
  for (const [, list] of lists) {
    const rooms = list?.pages.flatMap((page) => page.data.customer_rooms) ?? []
    const at = rooms.findIndex((it) => it.room_id === room)
    const next = rooms[at + 1] ?? rooms[at - 1]
    if (next) return next.room_id
  }
  return null
}
