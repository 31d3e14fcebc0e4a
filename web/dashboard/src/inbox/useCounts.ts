import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Counts, Data } from '../app/shapes'

export const COUNTS = ['live', 'counts'] as const

/** How many conversations each view holds. Frames keep it true; it is read after each gap. */
export function useCounts(): Counts | undefined {
  const { data } = useQuery({
    queryKey: COUNTS,
    queryFn: () =>
      call<Data<Counts>>('GET', '/api/v2/customer_rooms/counts').then(({ data }) => data),
  })
  return data
}
