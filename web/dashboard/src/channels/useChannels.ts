import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Channel, ChannelTest, Data } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

const KEY = ['custom_channels']
const PATH = '/api/v2/custom_channels'
/** Query keys of everything that shows channels or depends on whether they are on. */
const INVALIDATED_KEYS = [KEY, ['live', 'channel_names'], ['choices', '/api/v2/channel_names']]

export const DIRECTIONS = ['in', 'out'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The changed fields of a channel; others keep their values. */
export interface ChannelChange {
  name?: string
  webhook_url?: string
  is_active?: boolean
  rotate_identifier_key?: boolean
}

export function useChannels() {
  return useQuery({
    queryKey: KEY,
    queryFn: () =>
      call<Data<{ custom_channels: Channel[] }>>('GET', PATH).then(
        ({ data }) => data.custom_channels,
      ),
    // Another admin may have changed the channels.
    refetchOnMount: 'always',
    // Keep the keys in memory only while the screen is open.
    gcTime: 0,
  })
}

/** Changes custom channels and reloads them. */
function useChannelMutation<Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    // Responses may contain a new key.
    gcTime: 0,
    onError: useErrorNotice(),
    onSuccess: () =>
      Promise.all(INVALIDATED_KEYS.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}

export const useAddChannel = () =>
  useChannelMutation((channel: ChannelChange) => call('POST', PATH, channel))

export const useChangeChannel = (id: number) =>
  useChannelMutation((change: ChannelChange) =>
    call<Data<{ custom_channel: Channel }>>('PUT', `${PATH}/${id}`, change),
  )

/** Tests a channel: posts a message of an example customer (`in`), or sends an example to the
 * gateway (`out`). */
export function useTestChannel(id: number) {
  return useMutation({
    mutationFn: (direction: Direction) =>
      call<Data<{ test: ChannelTest }>>('POST', `${PATH}/${id}/test`, { direction }),
    onError: useErrorNotice(),
  })
}

export const useDeleteChannel = (id: number) =>
  useChannelMutation(() => call('DELETE', `${PATH}/${id}`))
