import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Attempt, Data, Endpoint, EndpointInput } from '../app/shapes'
import { BOT } from '../bot/botKey'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { type Kind, nextPollMs, pathIdOf } from './kinds'

const PATH = '/api/v2/webhooks/endpoints'

/** Query key with the prefix `live`, so that endpoints are reloaded after each gap in the
 * connection. */
export const ENDPOINTS = ['live', 'webhook_endpoints'] as const

/** Loads the endpoints and their state. Polls only while a state will change. */
export function useEndpoints() {
  return useQuery({
    queryKey: ENDPOINTS,
    queryFn: () =>
      call<Data<{ endpoints: Endpoint[] }>>('GET', PATH).then(({ data }) => data.endpoints),
    refetchInterval: ({ state }) => nextPollMs(state.data ?? [], Date.now()),
    refetchOnMount: 'always',
  })
}

/** Reloads the endpoints and the bot settings, because the bot's URL is an endpoint. */
const reload = (queries: QueryClient) =>
  Promise.all([ENDPOINTS, BOT].map((queryKey) => queries.invalidateQueries({ queryKey })))

/** Pauses, resumes or deletes an endpoint. */
export function useEndpointAction() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ of, action }: { of: Endpoint; action: 'pause' | 'resume' | 'remove' }) => {
      const path = `${PATH}/${encodeURIComponent(pathIdOf(of))}`
      return action === 'remove' ? call('DELETE', path) : call('POST', `${path}/${action}`)
    },
    onError: useErrorNotice(),
    onSettled: () => reload(queries),
  })
}

/** Registers or changes an endpoint. The form shows errors. */
export function usePutEndpoint(kind: Kind) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (wanted: EndpointInput) => call('PUT', `${PATH}/${kind}`, wanted),
    onSettled: () => reload(queries),
  })
}

/** Sends an example now to the endpoint of this id or kind. */
export function useTestEndpoint(of: string) {
  return useMutation({
    mutationFn: () =>
      call<Data<{ attempt: Attempt }>>('POST', `${PATH}/${encodeURIComponent(of)}/test`),
    onError: useErrorNotice(),
  })
}
