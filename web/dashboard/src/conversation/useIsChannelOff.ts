import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { ChannelName, Data, Row } from '../app/shapes'

/** Whether the conversation's channel is switched off or deleted, so that replies cannot be sent.
 * The channels are reloaded for each conversation: a cached list may lack a channel that was
 * created after it, which would look deleted. */
export function useIsChannelOff(row: Row | undefined): boolean {
  const id = row?.channel_id
  const { data } = useQuery({
    queryKey: ['live', 'channel_names', id],
    queryFn: () => call<Data<{ channels: ChannelName[] }>>('GET', '/api/v2/channel_names'),
    enabled: id !== undefined,
    staleTime: 0,
  })
  if (!data) return false
  return !data.data.channels.find((channel) => channel.id === id)?.is_active
}
