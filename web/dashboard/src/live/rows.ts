import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Frame } from '../../../shared/live'
import type { Me, Page, Row } from '../app/shapes'
import { isView, VIEWS, type View } from '../inbox/views'

type Rooms = InfiniteData<Page<{ customer_rooms: Row[] }>>

/** Puts what a frame says about a conversation into the lists that were read. */
export function applyRow(queries: QueryClient, me: Me, { type, data }: Frame): void {
  if (type === 'room') {
    const { row } = data as { row: Row }
    queries.setQueryData(['live', 'room', row.room_id], row)
    for (const view of VIEWS) put(queries, view, row, belongs(view, me, row))
  }
  if (type === 'room_gone') {
    const { room_id } = data as { room_id: string }
    void queries.invalidateQueries({ queryKey: ['live', 'room', room_id] })
    for (const view of VIEWS) put(queries, view, { room_id } as Row, false)
  }
}

/** Whether a conversation stands in a view. */
export function belongs(view: View, me: Me, row: Row): boolean {
  if (view === 'resolved') return row.is_resolved
  if (row.is_resolved) return false
  switch (view) {
    case 'mine':
      return row.agents.some((agent) => agent.id === me.user.id)
    case 'unassigned':
      return row.agents.length === 0 && !row.is_handled_by_bot
    case 'bot':
      return row.is_handled_by_bot
    default:
      return true
  }
}

/** The newest first: a row that changed goes to the top of its lists, or out of them. Lists that
 * search for a text are read again instead: only the server knows what they find. */
function put(queries: QueryClient, view: View, row: Row, isThere: boolean): void {
  for (const [key, rooms] of queries.getQueriesData<Rooms>({ queryKey: ['live', 'rooms', view] })) {
    if (!rooms || !isView(key[2] as string)) continue
    if (key[3] !== '') {
      void queries.invalidateQueries({ queryKey: key })
      continue
    }
    const without = rooms.pages.map((page) => ({
      ...page,
      data: {
        customer_rooms: page.data.customer_rooms.filter((it) => it.room_id !== row.room_id),
      },
    }))
    const [first, ...rest] = without
    if (isThere && first) first.data.customer_rooms.unshift(row)
    queries.setQueryData<Rooms>(key, { ...rooms, pages: first ? [first, ...rest] : without })
  }
}
