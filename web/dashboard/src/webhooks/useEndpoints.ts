import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Attempt, Data, Endpoint, WantedEndpoint } from '../app/shapes'
import { BOT } from '../bot/botKey'
import { useFailure } from '../ui/useFailure'
import { handleOf, type Kind, lookAgainMs } from './kinds'

const PATH = '/api/v2/webhooks/endpoints'

/** Below `live`: it is read again after each gap of the connection. */
export const ENDPOINTS = ['live', 'webhook_endpoints'] as const

/** Where the app is told, and how that goes. Looked at again only while something moves. */
export function useEndpoints() {
  return useQuery({
    queryKey: ENDPOINTS,
    queryFn: () =>
      call<Data<{ endpoints: Endpoint[] }>>('GET', PATH).then(({ data }) => data.endpoints),
    refetchInterval: ({ state }) => lookAgainMs(state.data ?? [], Date.now()),
    refetchOnMount: 'always',
  })
}

/** The address of the bot is one of them. */
const readAgain = (queries: QueryClient) =>
  Promise.all([ENDPOINTS, BOT].map((queryKey) => queries.invalidateQueries({ queryKey })))

/** Pauses or resumes an endpoint, or takes it away. */
export function useEndpointDeed() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ of, deed }: { of: Endpoint; deed: 'pause' | 'resume' | 'remove' }) => {
      const path = `${PATH}/${encodeURIComponent(handleOf(of))}`
      return deed === 'remove' ? call('DELETE', path) : call('POST', `${path}/${deed}`)
    },
    onError: useFailure(),
    onSettled: () => readAgain(queries),
  })
}

/** Registers an endpoint, or changes it. What is wrong is shown where it was written. */
export function usePutEndpoint(kind: Kind) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (wanted: WantedEndpoint) => call('PUT', `${PATH}/${kind}`, wanted),
    onSettled: () => readAgain(queries),
  })
}

/** Sends one example now, to the endpoint of this id, or to the one of this kind. */
export function useTestEndpoint(of: string) {
  return useMutation({
    mutationFn: () =>
      call<Data<{ attempt: Attempt }>>('POST', `${PATH}/${encodeURIComponent(of)}/test`),
    onError: useFailure(),
  })
}
