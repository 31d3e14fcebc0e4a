import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Note, Page } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'

export const notesKey = (room: string) => ['live', 'notes', room] as const

/** Loads the notes of a room, newest first. Live frames trigger a reload. */
export function useNotes(room: string) {
  const queries = useQueryClient()
  useFrames(({ type, data }) => {
    if (type !== 'note' || (data as { room_id: string }).room_id !== room) return
    void queries.invalidateQueries({ queryKey: notesKey(room) })
  })
  return useQuery({
    queryKey: notesKey(room),
    queryFn: async () => {
      const path = `/api/v2/customer_rooms/${room}/notes?limit=50`
      return (await call<Page<{ notes: Note[] }>>('GET', path)).data.notes
    },
  })
}
