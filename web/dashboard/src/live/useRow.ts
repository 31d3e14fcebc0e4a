import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Data, Row } from '../app/shapes'
import { newestVersion, roomKey } from './rows'

/** Loads a conversation's row, as the lists show it. Live frames keep it up to date. */
export function useRow(room: string | undefined) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: roomKey(room ?? ''),
    queryFn: () =>
      call<Data<{ customer_room: Row }>>('GET', `/api/v2/customer_rooms/${room}`).then(({ data }) =>
        newestVersion(queries, data.customer_room),
      ),
    enabled: room !== undefined,
  })
}
