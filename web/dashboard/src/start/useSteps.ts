import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { usePreferences } from '../app/PreferencesProvider'
import type { Agent, ChannelRecord, CustomButton, Data, Me, Row } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'

export const STEPS = ['password', 'widget', 'answer', 'colleague', 'webhook'] as const
export type StepName = (typeof STEPS)[number]

/** How the channels are called that somebody connected; any other is the widget. */
const CUSTOM = 'custom'
const KEY = ['live', 'start']

/** Which steps are done, by what is there. Looked at again when something happens, and when
 * somebody comes back to the page. */
export function useSteps(me: Me): Record<StepName, boolean> {
  const queries = useQueryClient()
  const { preferences } = usePreferences()
  const { data } = useQuery({ queryKey: KEY, queryFn: look, refetchOnWindowFocus: 'always' })
  useFrames(({ type }) => {
    if (type === 'room' || type === 'agent') void queries.invalidateQueries({ queryKey: KEY })
  })
  return {
    password: preferences.hasOwnPassword,
    widget: data?.rows.some((row) => row.source !== CUSTOM) ?? false,
    answer: data?.rows.some((row) => row.first_reply_at) ?? false,
    colleague: data?.agents.some((agent) => agent.id !== me.user.id) ?? false,
    webhook: data?.isTold ?? false,
  }
}

async function look() {
  const [rooms, people, channels, buttons] = await Promise.all([
    call<Data<{ customer_rooms: Row[] }>>('GET', '/api/v2/customer_rooms?limit=50'),
    call<Data<{ agents: Agent[] }>>('GET', '/api/v2/admin/agents?limit=2'),
    call<Data<{ custom_channels: ChannelRecord[] }>>('GET', '/api/v2/custom_channels'),
    call<Data<{ custom_buttons: CustomButton[] }>>('GET', '/api/v2/custom_buttons'),
  ])
  const isTold =
    buttons.data.custom_buttons.length > 0 ||
    channels.data.custom_channels.some((it) => it.webhook_url)
  return { rows: rooms.data.customer_rooms, agents: people.data.agents, isTold }
}
