import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../../shared/call'
import { usePreferences } from '../app/PreferencesProvider'
import type { Agent, Data, Endpoint, Me, Row } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'

export const STEPS = ['password', 'widget', 'answer', 'colleague', 'webhook'] as const
export type StepName = (typeof STEPS)[number]

/** How the channels are called that somebody connected; any other is the widget. */
const CUSTOM = 'custom'
const KEY = ['live', 'start']

/** Not for each of many frames. */
const LOOK_AFTER_MS = 3_000

/** Which steps are done, by what is there; nothing while that is not known. Looked at again when
 * something happens, and when somebody comes back to the page. */
export function useSteps(me: Me) {
  const queries = useQueryClient()
  const { preferences } = usePreferences()
  const looked = useQuery({ queryKey: KEY, queryFn: look, refetchOnWindowFocus: 'always' })
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useFrames(({ type }) => {
    if ((type !== 'room' && type !== 'agent') || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: KEY })
    }, LOOK_AFTER_MS)
  })
  const { data } = looked
  const done: Record<StepName, boolean> | undefined = data && {
    password: preferences.hasOwnPassword,
    widget: data.rows.some((row) => row.source !== CUSTOM),
    answer: data.rows.some((row) => row.first_reply_at),
    colleague: data.agents.some((agent) => agent.id !== me.user.id),
    webhook: data.isTold,
  }
  return { ...looked, done }
}

async function look() {
  const [rooms, people, endpoints] = await Promise.all([
    call<Data<{ customer_rooms: Row[] }>>('GET', '/api/v2/customer_rooms?limit=50'),
    call<Data<{ agents: Agent[] }>>('GET', '/api/v2/admin/agents?limit=2'),
    call<Data<{ endpoints: Endpoint[] }>>('GET', '/api/v2/webhooks/endpoints'),
  ])
  return {
    rows: rooms.data.customer_rooms,
    agents: people.data.agents,
    isTold: endpoints.data.endpoints.length > 0,
  }
}
