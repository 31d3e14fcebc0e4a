import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../../shared/call'
import { usePreferences } from '../app/PreferencesProvider'
import type { Agent, Data, Endpoint, Me, Row } from '../app/shapes'
import { KINDS } from '../channels/providers/kinds'
import { useFrames } from '../live/LiveProvider'

export const STEPS = ['password', 'widget', 'answer', 'colleague', 'webhook'] as const
export type StepName = (typeof STEPS)[number]

/** Sources of rooms of all channels but the widget, whose source is the brand. */
const OTHER_SOURCES = new Set(['custom', ...Object.keys(KINDS)])
const KEY = ['live', 'start']

/** Delay before a reload, so that many frames cause one. */
const RELOAD_DELAY_MS = 3_000

/** Returns which steps are done, or undefined until they are loaded. Reloaded after frames and when
 * the window gets the focus. */
export function useSteps(me: Me) {
  const queries = useQueryClient()
  const { preferences } = usePreferences()
  const progress = useQuery({
    queryKey: KEY,
    queryFn: loadProgress,
    refetchOnWindowFocus: 'always',
  })
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useFrames(({ type }) => {
    if ((type !== 'room' && type !== 'agent') || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: KEY })
    }, RELOAD_DELAY_MS)
  })
  const { data } = progress
  const done: Record<StepName, boolean> | undefined = data && {
    password: preferences.hasOwnPassword,
    widget: data.rows.some((row) => !OTHER_SOURCES.has(row.source)),
    answer: data.rows.some((row) => row.first_reply_at),
    colleague: data.agents.some((agent) => agent.id !== me.user.id),
    webhook: data.hasEndpoint,
  }
  return { ...progress, done }
}

async function loadProgress() {
  const [rooms, people, endpoints] = await Promise.all([
    call<Data<{ customer_rooms: Row[] }>>('GET', '/api/v2/customer_rooms?limit=50'),
    call<Data<{ agents: Agent[] }>>('GET', '/api/v2/admin/agents?limit=2'),
    call<Data<{ endpoints: Endpoint[] }>>('GET', '/api/v2/webhooks/endpoints'),
  ])
  return {
    rows: rooms.data.customer_rooms,
    agents: people.data.agents,
    hasEndpoint: endpoints.data.endpoints.length > 0,
  }
}
