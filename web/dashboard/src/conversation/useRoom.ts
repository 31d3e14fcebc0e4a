import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Data, Row } from '../app/shapes'

/** What is known of a conversation: who the customer is, who serves, whether it is resolved. */
export function useRoom(room: string) {
  return useQuery({
    queryKey: ['live', 'room', room],
    queryFn: async () => {
      const path = `/api/v2/customer_rooms/${room}`
      const { data } = await call<Data<{ customer_room: Row }>>('GET', path)
      return data.customer_room
    },
  })
}
