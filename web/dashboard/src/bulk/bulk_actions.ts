// Bulk actions: requests of up to a hundred conversations, with one result for each conversation.
import { CallError, call, withQuery } from '../../../shared/call'
import type { BulkResult, Data, Me, RoomPage } from '../app/shapes'
import type { Filters } from '../inbox/filters'
import type { PickedRooms } from '../inbox/rows/picking'
import { queryOf, type View } from '../inbox/views'

export type BulkAction =
  | { is: 'assign'; agent: number }
  | { is: 'resolve'; notes: string }
  | { is: 'reopen' }

/** The result of a bulk action for each conversation. */
export interface Outcome {
  action: BulkAction['is']
  rows: { room: string; name: string; why: string | null }[]
}

/** Maximum number of picked conversations; `CALL_MAX` is the maximum in one request. */
export const PICKED_MAX = 1000
const CALL_MAX = 100

const ROOMS = '/api/v2/customer_rooms'

/** Returns the conversations of a list, up to `PICKED_MAX`. */
export async function loadAllRooms(view: View, me: Me, filters: Filters): Promise<PickedRooms> {
  const all = new Map<string, string>()
  let cursor: string | undefined
  do {
    const query = { ...queryOf(view, me, filters), limit: CALL_MAX, cursor_after: cursor }
    const page = await call<RoomPage>('GET', withQuery(ROOMS, query))
    for (const { room_id, name } of page.data.customer_rooms) {
      if (all.size < PICKED_MAX) all.set(room_id, name)
    }
    cursor = page.meta.after ?? undefined
  } while (cursor !== undefined && all.size < PICKED_MAX)
  return all
}

/** Runs an action on all conversations. A failed request marks only its own conversations as
 * failed; the others stay done. */
export async function runBulkAction(
  action: BulkAction,
  rooms: PickedRooms,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const ids = [...rooms.keys()]
  const why = new Map<string, string | null>()
  const step = action.is === 'reopen' ? 1 : CALL_MAX
  for (let at = 0; at < ids.length; at += step) {
    const some = ids.slice(at, at + step)
    try {
      for (const it of await send(action, some)) {
        why.set(it.room_id, it.is_done ? null : (it.why ?? ''))
      }
    } catch (error) {
      for (const id of some) why.set(id, error instanceof CallError ? error.message : String(error))
    }
    onProgress(at + some.length)
  }
  const rows = ids.map((room) => ({
    room,
    name: rooms.get(room) ?? room,
    why: why.get(room) ?? null,
  }))
  return { action: action.is, rows }
}

async function send(action: BulkAction, room_ids: string[]): Promise<BulkResult[]> {
  if (action.is === 'reopen') {
    await Promise.all(room_ids.map((room) => call('POST', `${ROOMS}/${room}/reopen`)))
    return room_ids.map((room_id) => ({ room_id, is_done: true }))
  }
  const more = action.is === 'assign' ? { agent_id: action.agent } : { notes: action.notes }
  const body = { deed: action.is, room_ids, ...more }
  return (await call<Data<{ rooms: BulkResult[] }>>('POST', `${ROOMS}/bulk`, body)).data.rooms
}
