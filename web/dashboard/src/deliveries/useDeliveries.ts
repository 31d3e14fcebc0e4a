import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, withQuery } from '../../../shared/call'
import type { Data, Delivery, DeliveryDetail } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { apiQueryOf, type DeliveryFilters, searchOf } from './filters'
import { nextPollMs } from './polling'

const PATH = '/api/v2/webhooks/deliveries'

/** Query key with the prefix `live`, so that deliveries are reloaded after each gap in the
 * connection. */
export const DELIVERIES = ['live', 'deliveries'] as const

type List = Data<{ deliveries: Delivery[]; next?: string | null }>

/** Loads the deliveries, newest first. */
export function useDeliveries(filters: DeliveryFilters) {
  return useInfiniteQuery({
    queryKey: [...DELIVERIES, searchOf(filters)],
    initialPageParam: '',
    queryFn: ({ pageParam: before }) =>
      call<List>('GET', withQuery(PATH, { ...apiQueryOf(filters), before })),
    getNextPageParam: ({ data }) => data.next ?? undefined,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) =>
      nextPollMs(state.data?.pages.flatMap(({ data }) => data.deliveries) ?? [], Date.now()),
  })
}

/** Loads one delivery with its body and attempts. */
export function useDelivery(id: string) {
  return useQuery({
    queryKey: [...DELIVERIES, 'one', id],
    queryFn: () =>
      call<Data<{ delivery: DeliveryDetail }>>('GET', `${PATH}/${id}`).then(
        ({ data }) => data.delivery,
      ),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => nextPollMs(state.data ? [state.data] : [], Date.now()),
  })
}

export function useReplay(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call('POST', `${PATH}/${id}/replay`),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: DELIVERIES }),
  })
}
