import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { DeliveryDetail } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import { DateTime } from '../context/DateTime'
import { useIsOffline } from '../live/useIsOffline'
import { CopyButton } from '../ui/CopyButton'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { Attempts } from './attempts/Attempts'
import classes from './Deliveries.module.css'
import { type DeliveryFilters, searchOf } from './filters'
import { isMasked } from './polling'
import { StateBadge } from './StateBadge'
import { SignatureCheck } from './signature/SignatureCheck'
import { VerifyCode } from './signature/VerifyCode'
import { useDelivery, useReplay } from './useDeliveries'
import { useKindName } from './useKindName'

/** One delivery: request, attempts, and a signature check. */
export function DeliveryView({ id, filters }: { id: string; filters: DeliveryFilters }) {
  const words = useTranslations('deliveries')
  const { data, error, refetch } = useDelivery(id)
  return (
    <section className={classes.view} aria-labelledby="delivery-title" data-region tabIndex={-1}>
      <Anchor
        component={Link}
        to={`/webhooks/deliveries${searchOf(filters)}`}
        className={classes.back ?? ''}
      >
        {words('back')}
      </Anchor>
      <Title order={2} size="h4" id="delivery-title">
        {words('one', { id })}
      </Title>
      {!data && error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={3} height={120} />}
      {data && <Loaded delivery={data} />}
    </section>
  )
}

function Loaded({ delivery }: { delivery: DeliveryDetail }) {
  const words = useTranslations('deliveries')
  const { body } = delivery
  return (
    <Stack gap="lg">
      <Facts delivery={delivery} />
      <Part title={words('attemptList')}>
        <Attempts attempts={delivery.attempt_list} />
      </Part>
      <Part title={words('body')} help={words(isMasked(body) ? 'masked' : 'bodyHelp')}>
        <Group gap="xs" wrap="nowrap" align="start">
          <Code block className={classes.code ?? ''} flex={1} miw={0} tabIndex={0}>
            {body}
          </Code>
          <CopyButton text={body} />
        </Group>
      </Part>
      <SignatureCheck id={String(delivery.id)} />
      <VerifyCode />
    </Stack>
  )
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  const words = useTranslations('deliveries')
  const kindName = useKindName()
  const isOffline = useIsOffline()
  const showDone = useSuccessNotice()
  const replay = useReplay(String(delivery.id))
  const { standing, url, room_id, created_at, due_at } = delivery
  const isWaiting = standing === 'waiting' || standing === 'parked'
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text fw={600}>{kindName(delivery.kind)}</Text>
        <StateBadge standing={standing} />
        <Button
          size="xs"
          disabled={isOffline}
          loading={replay.isPending}
          onClick={() => replay.mutate(undefined, { onSuccess: () => showDone(words('replayed')) })}
        >
          {words(isWaiting ? 'sendNow' : 'replay')}
        </Button>
      </Group>
      <Remark delivery={delivery} />
      <dl className={classes.facts}>
        <dt>{words('to')}</dt>
        <dd className={classes.url}>{url}</dd>
        <dt>{words('made')}</dt>
        <dd>
          <DateTime at={created_at} />
        </dd>
        {due_at && (
          <>
            <dt>{words('due')}</dt>
            <dd>
              <DateTime at={due_at} />
            </dd>
          </>
        )}
        {room_id && (
          <>
            <dt>{words('room')}</dt>
            <dd>{room_id}</dd>
          </>
        )}
        <dt>{words('sequence')}</dt>
        <dd>{delivery.sequence}</dd>
      </dl>
    </Stack>
  )
}

/** A note about an unusual state of the delivery. */
function Remark({ delivery }: { delivery: DeliveryDetail }) {
  const words = useTranslations('deliveries')
  const remark = remarkOf(delivery)
  return remark && <p className={classes.remark}>{words(remark)}</p>
}

function remarkOf({ kind, standing, last_error, attempts }: DeliveryDetail) {
  if (kind === 'channel_event' && standing === 'failed') return 'givenUpEvent'
  if (last_error === 'superseded') return 'superseded'
  if (last_error === 'payload_too_large') return 'tooLarge'
  if (standing === 'parked') return 'parked'
  return standing === 'waiting' && attempts === 0 ? 'waitsBehind' : null
}
