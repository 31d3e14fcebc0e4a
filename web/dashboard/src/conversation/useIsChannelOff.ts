import { useQuery } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { ChannelName, Data, Row } from '../app/shapes'

/** Whether nothing goes out by the channel that a customer came through: it is switched off, or was
 * deleted. Read when a conversation is opened, and again after a gap. */
export function useIsChannelOff(row: Row | undefined): boolean {
  const { data } = useQuery({
    queryKey: ['live', 'channel_names'],
    queryFn: () => call<Data<{ channels: ChannelName[] }>>('GET', '/api/v2/channel_names'),
  })
  if (!row || !data) return false
  const channel = data.data.channels.find(({ id }) => id === row.channel_id)
  return channel === undefined || !channel.is_active
}
