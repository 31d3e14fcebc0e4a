import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../../shared/call'
import type { ChannelHealth, Data } from '../../app/shapes'
import { KINDS, type ProviderKind, type ProviderName } from './kinds'
import { SHOWN_PROVIDERS } from './shown_providers'

const KEY = ['service_channels']
const HEALTH = ['channel_health']
const healthKey = (id: number) => [...HEALTH, id]
/** Query keys of everything that shows channels or depends on whether they are on. */
const INVALIDATED_KEYS = [
  KEY,
  HEALTH,
  ['live', 'channel_names'],
  ['choices', '/api/v2/channel_names'],
]

/** A channel of a provider. Further fields depend on its kind; secrets are masked except for their
 * last characters. */
export interface ProviderChannel {
  id: number
  name: string
  is_active: boolean
  webhook_url?: string
  verify_token?: string
  [more: string]: unknown
}

export interface ProviderEntry {
  kind: ProviderKind
  record: ProviderChannel
}

type Lists = Record<string, ProviderChannel[]>
type Box = Data<Record<string, ProviderChannel>>

/** Returns a field of a record as text; empty if it has none. */
export function textOf(record: ProviderChannel, name: string): string {
  const value = record[name]
  return typeof value === 'string' ? value : ''
}

/** Loads all provider channels. */
export function useProviderChannels() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => call<Data<Lists>>('GET', '/api/v2/channels').then(({ data }) => listed(data)),
    // Another admin may have changed the channels.
    refetchOnMount: 'always',
  })
}

function listed(lists: Lists): ProviderEntry[] {
  return SHOWN_PROVIDERS.flatMap((word) =>
    (lists[`${word}_channels`] ?? []).map((record) => ({ kind: KINDS[word], record })),
  )
}

const boxed = (word: ProviderName) => (box: Box) =>
  box.data[`${word}_channel`] as ProviderChannel | undefined

/** Changes a provider channel, and reloads the queries that show it. Callers show the error,
 * because it may belong to a field. */
function useProviderMutation<Asked>(word: ProviderName, path: string, onDone?: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (asked: Asked) => call<Box>('POST', path, asked).then(boxed(word)),
    // Responses may contain a verify token, and requests contain secrets.
    gcTime: 0,
    onSuccess() {
      // Call this before reloading: the component of a deleted channel is unmounted then.
      onDone?.()
      return Promise.all(
        INVALIDATED_KEYS.map((queryKey) => queries.invalidateQueries({ queryKey })),
      )
    },
  })
}

/** The changed fields of a channel; others keep their values. */
export type ProviderChange = Record<string, string | boolean>

export const useConnect = (word: ProviderName) =>
  useProviderMutation<ProviderChange>(word, `/api/v2/${word}/connect`)

export const useChange = (word: ProviderName, id: number) =>
  useProviderMutation<ProviderChange>(word, `/api/v2/${word}/connect/${id}/update`)

export const useDisconnect = (word: ProviderName, id: number, onDone: () => void) =>
  useProviderMutation<object>(word, `/api/v2/${word}/connect/${id}/delete`, onDone)

type HealthBox = Data<{ health: ChannelHealth }>

/** Loads the health of a channel as last known to the server. */
export function useHealth(id: number) {
  return useQuery({
    queryKey: healthKey(id),
    queryFn: () =>
      call<HealthBox>('GET', `/api/v2/channels/${id}/health`).then(({ data }) => data.health),
    refetchOnMount: 'always',
  })
}

/** Checks the channel's health at the provider now. */
export function useCheck(id: number) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () =>
      call<HealthBox>('POST', `/api/v2/channels/${id}/check`).then(({ data }) => data.health),
    onSuccess: (health) => queries.setQueryData(healthKey(id), health),
  })
}
