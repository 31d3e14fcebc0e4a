import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Channel, ChannelTest, Data } from '../app/shapes'
import { useFailure } from '../ui/useFailure'

const KEY = ['custom_channels']
const PATH = '/api/v2/custom_channels'
/** Everything that shows channels, or goes by whether they are on. */
const SHOWING = [KEY, ['live', 'channel_names'], ['choices', '/api/v2/channel_names']]

export const DIRECTIONS = ['in', 'out'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** What a channel becomes; what is not named stays. */
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
    // Another admin may have changed them since.
    refetchOnMount: 'always',
    // Their keys are not kept for longer than the screen shows them.
    gcTime: 0,
  })
}

/** Does something to channels, and reads them again. */
function useDeed<Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    // A new key is in the answer.
    gcTime: 0,
    onError: useFailure(),
    onSuccess: () =>
      Promise.all(SHOWING.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}

export const useAddChannel = () => useDeed((channel: ChannelChange) => call('POST', PATH, channel))

export const useChangeChannel = (id: number) =>
  useDeed((change: ChannelChange) =>
    call<Data<{ custom_channel: Channel }>>('PUT', `${PATH}/${id}`, change),
  )

/** Has a made-up customer write (`in`), or the gateway told of an example (`out`). */
export function useTestChannel(id: number) {
  return useMutation({
    mutationFn: (direction: Direction) =>
      call<Data<{ test: ChannelTest }>>('POST', `${PATH}/${id}/test`, { direction }),
    onError: useFailure(),
  })
}

export const useDeleteChannel = (id: number) => useDeed(() => call('DELETE', `${PATH}/${id}`))
