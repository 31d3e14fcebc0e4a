import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Page, TrailStep } from '../app/shapes'
import { useFrames } from '../live/LiveProvider'
import classes from './Context.module.css'
import { DateTime } from './DateTime'
import { trailKind } from './trailKind'

const SHOWN_FIRST = 5

/** The history of a conversation's actions, newest first. */
export function Trail({ room }: { room: string }) {
  const words = useTranslations('context')
  const [isWhole, setWhole] = useState(false)
  const { data } = useTrail(room)
  const steps = data ?? []
  const shown = isWhole ? steps : steps.slice(0, SHOWN_FIRST)
  return (
    <>
      {data?.length === 0 && (
        <Text size="sm" className="muted">
          {words('noTrail')}
        </Text>
      )}
      <ol className={classes.list} aria-label={words('trail')}>
        {shown.map((step) => (
          <li key={step.id}>
            <Text size="sm">
              {words(`did.${trailKind(step)}`, {
                by: step.by?.name ?? words('somebody'),
                agent: step.agent?.name ?? words('somebody'),
                what: step.what,
                rating: step.rating ?? 0,
              })}
            </Text>
            <Text size="xs" className="muted" component="div">
              <DateTime at={step.at} />
            </Text>
          </li>
        ))}
      </ol>
      {steps.length > shown.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
          {words('wholeTrail')}
        </Button>
      )}
    </>
  )
}

function useTrail(room: string) {
  const queries = useQueryClient()
  const key = ['live', 'trail', room]
  useFrames(({ type, data }) => {
    if (type !== 'trail') return
    const step = data as TrailStep & { room_id: string }
    if (step.room_id !== room) return
    queries.setQueryData<TrailStep[]>(key, (known) =>
      known ? [step, ...known.filter((it) => it.id !== step.id)] : known,
    )
  })
  return useQuery({
    queryKey: key,
    queryFn: async () => {
      const path = `/api/v2/customer_rooms/${room}/trail?limit=50`
      return (await call<Page<{ trail: TrailStep[] }>>('GET', path)).data.trail
    },
  })
}
