import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Frame } from '../../../shared/live'
import type { Agent, ChannelName, Data, Division } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

const PEOPLE = ['live', 'people']
const PEOPLE_MAX = 1000

/** Returns an agent after a frame; unchanged if the frame is about another agent. */
export function withFrame<T extends Agent | undefined>(person: T, { type, data }: Frame): T {
  const change = data as {
    id: number
    is_available: boolean
    force_offline: boolean
    serves: number
  }
  if (type !== 'agent' || person?.id !== change.id) return person
  const { is_available, force_offline, serves } = change
  return { ...person, is_available, force_offline, current_customer_count: serves }
}

export function usePeople() {
  const queries = useQueryClient()
  useFrames((frame) =>
    queries.setQueryData<Agent[]>(PEOPLE, (people) => people?.map((it) => withFrame(it, frame))),
  )
  return useQuery({
    queryKey: PEOPLE,
    queryFn: async () =>
      (await call<Data<{ agents: Agent[] }>>('GET', `/api/v2/admin/agents?limit=${PEOPLE_MAX}`))
        .data.agents,
    // Another admin may have changed them.
    refetchOnMount: 'always',
  })
}

export function usePerson(id: string) {
  const queries = useQueryClient()
  useFrames((frame) =>
    queries.setQueryData<Agent>([...PEOPLE, id], (person) => withFrame(person, frame)),
  )
  return useQuery({
    queryKey: [...PEOPLE, id],
    queryFn: async () =>
      (await call<Data<{ agent: Agent }>>('GET', `/api/v2/admin/agent/${encodeURIComponent(id)}`))
        .data.agent,
    refetchOnMount: 'always',
  })
}

export function useDivisions() {
  return useQuery({
    queryKey: ['live', 'divisions'],
    queryFn: async () => (await call<Data<Division[]>>('GET', '/api/v2/divisions?limit=100')).data,
  })
}

export function useChannels() {
  return useQuery({
    queryKey: ['live', 'channel_names'],
    queryFn: () => call<Data<{ channels: ChannelName[] }>>('GET', '/api/v2/channel_names'),
    select: ({ data }) => data.channels,
  })
}

/** Changes agents or divisions, and reloads the queries that show them. */
export function usePeopleMutation<Answer = unknown>() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ([path, body]: [path: string, body?: object]) =>
      call<Answer>('POST', path, body ?? {}),
    // Responses may contain a sign-in link, which must not stay in the cache.
    gcTime: 0,
    onError: useErrorNotice(),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['live'] }),
        queries.invalidateQueries({ queryKey: ['choices'] }),
      ]),
  })
}

export const ROLES = ['agent', 'supervisor', 'admin'] as const
export type Role = (typeof ROLES)[number]

export function roleOf({ type_as_string }: Agent): Role {
  return ROLES.find((role) => role === type_as_string) ?? 'agent'
}
