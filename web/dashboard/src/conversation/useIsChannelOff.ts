import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { ChannelName, Data, Row } from '../app/shapes'

/** Whether nothing goes out by the channel that a customer came through: it is switched off, or was
 * deleted. Read whenever a conversation is opened, and for each channel anew: what was read before
 * somebody wrote through a channel knows nothing of it, and that does not make it a deleted one. */
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
