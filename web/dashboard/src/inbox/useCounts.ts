import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Counts, Data } from '../app/shapes'

export const COUNTS = ['live', 'counts'] as const

/** Returns the number of conversations in each view. Live frames update it; it is reloaded after
 * each gap in the connection. */
export function useCounts(): Counts | undefined {
  const { data } = useQuery({
    queryKey: COUNTS,
    queryFn: () =>
      call<Data<Counts>>('GET', '/api/v2/customer_rooms/counts').then(({ data }) => data),
  })
  return data
}
