import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { ChannelHealth } from '../../app/shapes'
import { DateTime } from '../../context/DateTime'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { SkeletonRows } from '../../ui/feedback/SkeletonRows'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import classes from './Providers.module.css'
import { isState, isTransport } from './states'
import { useCheck, useHealth } from './useProviderChannels'

interface HealthPartProps {
  id: number
  service: string
  /** Whether to check the health at once, because a new channel has not been checked yet. */
  isAskedFirst?: boolean
}

/** The health of a provider channel, with advice and a button that checks it now. */
export function HealthPart({ id, service, isAskedFirst = false }: HealthPartProps) {
  const words = useTranslations('services')
  const { data, error, refetch } = useHealth(id)
  const check = useCheck(id)
  const showFailure = useErrorNotice()
  const { mutate } = check
  useEffect(() => {
    if (isAskedFirst) mutate()
  }, [isAskedFirst, mutate])
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows count={1} height={120} />
  return (
    <Stack gap="sm">
      <div role="status">
        <Condition health={data} service={service} />
        {check.isSuccess && (
          <Text size="sm" className="muted">
            {words('checked', { service })}
          </Text>
        )}
      </div>
      <GivenUp count={data.given_up_events} />
      <Facts health={data} />
      <Group>
        <Button
          variant="default"
          loading={check.isPending}
          disabled={data.state === 'off'}
          onClick={() => mutate(undefined, { onError: showFailure })}
        >
          {words('check')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The channel's state in words, the provider's reason, and what to do. */
function Condition({ health, service }: { health: ChannelHealth; service: string }) {
  const words = useTranslations('services')
  const { state, reason, since, notes } = health
  const isBad = state !== 'ok' && state !== 'off'
  return (
    <div className={classes.health} data-is-bad={isBad}>
      <Text fw={600}>
        {isState(state) ? words(`state.${state}`) : state}
        {isBad && since && (
          <>
            {' · '}
            {words('since')} <DateTime at={since} />
          </>
        )}
      </Text>
      {isState(state) && <Text size="sm">{words(`todo.${state}`, { service })}</Text>}
      {isBad && reason && <Text size="sm">{words('reason', { reason })}</Text>}
      {notes.map((note) => (
        <Text key={note} size="sm">
          {words('note', { note })}
        </Text>
      ))}
    </div>
  )
}

/** Number at which the server stops counting. */
const COUNTED_MAX = 10_000

/** The number of customer events that were given up, with a link to replay them. */
function GivenUp({ count }: { count: number }) {
  const words = useTranslations('services')
  if (count === 0) return null
  return (
    <div className={classes.health} data-is-bad>
      <Text size="sm">{words(count < COUNTED_MAX ? 'givenUp' : 'givenUpMore', { count })}</Text>
      <Anchor
        component={Link}
        size="sm"
        href="/webhooks/deliveries?kind=channel_event&standing=failed"
      >
        {words('givenUpLink')}
      </Anchor>
    </div>
  )
}

function Facts({ health }: { health: ChannelHealth }) {
  const words = useTranslations('services')
  const { last_event_at, last_sent_at, waiting, way } = health
  const never = words('never')
  return (
    <dl className={classes.facts}>
      <dt>{words('way')}</dt>
      <dd>{isTransport(way) ? words(`ways.${way}`) : way}</dd>
      <dt>{words('lastIn')}</dt>
      <dd>{last_event_at ? <DateTime at={last_event_at} /> : never}</dd>
      <dt>{words('lastOut')}</dt>
      <dd>{last_sent_at ? <DateTime at={last_sent_at} /> : never}</dd>
      <dt>{words('waiting')}</dt>
      <dd>{words('waitingCount', { count: waiting })}</dd>
    </dl>
  )
}
