import { Anchor, Button, CloseButton, Group, Loader, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Channel, ChannelTest, DeliveryDetail } from '../app/shapes'
import { useDelivery } from '../deliveries/useDeliveries'
import { useErrorWords } from '../deliveries/useErrorWords'
import { useIsOffline } from '../live/useIsOffline'
import classes from './Channels.module.css'
import { DIRECTIONS, useTestChannel } from './useChannels'

/** The buttons that test a channel in both directions, with the result. */
export function ChannelTests({ channel }: { channel: Channel }) {
  const words = useTranslations('channels')
  const isOffline = useIsOffline()
  const test = useTestChannel(channel.id)
  const { name, is_active, webhook_url } = channel
  const outcome = test.data?.data.test
  const cannot = { in: !is_active, out: !is_active || !webhook_url }
  return (
    <div>
      <Text size="sm" fw={600}>
        {words('tests')}
      </Text>
      <Text size="sm" className="muted">
        {words('testsHelp')} {is_active && !webhook_url && words('noAnswers')}
      </Text>
      <Group gap="xs" mt="xs">
        {DIRECTIONS.map((direction) => (
          <Button
            key={direction}
            size="xs"
            variant="default"
            aria-label={words(`test.${direction}Of`, { name })}
            loading={test.isPending && test.variables === direction}
            disabled={isOffline || cannot[direction]}
            onClick={() => test.mutate(direction)}
          >
            {words(`test.${direction}`)}
          </Button>
        ))}
      </Group>
      <div role="status">{outcome && <TestOutcome test={outcome} onClose={test.reset} />}</div>
    </div>
  )
}

/** The result of a channel test. */
function TestOutcome({ test, onClose }: { test: ChannelTest; onClose: () => void }) {
  const words = useTranslations('channels')
  return (
    <Group className={classes.led ?? ''} gap="xs" wrap="nowrap" align="start">
      <div className={classes.grow}>
        {test.room_id && (
          <Text size="sm">
            {words('cameIn')}{' '}
            <Anchor component={Link} to={`/inbox/all/${test.room_id}`} inherit>
              {words('openIt')}
            </Anchor>
          </Text>
        )}
        {test.delivery_id && <ExampleDelivery id={test.delivery_id} />}
      </div>
      <CloseButton aria-label={words('closeTest')} onClick={onClose} />
    </Group>
  )
}

/** The state of the example on its way to the gateway. */
function ExampleDelivery({ id }: { id: string }) {
  const words = useTranslations('channels')
  const { data } = useDelivery(id)
  const outcome = useOutcome(data)
  return (
    <Text size="sm">
      {outcome ?? (
        <>
          <Loader size={14} aria-hidden /> {words('goesOut')}
        </>
      )}{' '}
      <Anchor component={Link} to={`/webhooks/deliveries/${id}`} inherit>
        {words('seeDelivery')}
      </Anchor>
    </Text>
  )
}

/** Describes the last attempt in a sentence; null before the first response. */
function useOutcome(delivery: DeliveryDetail | undefined): string | null {
  const words = useTranslations('channels')
  const errorWords = useErrorWords()
  const last = delivery?.attempt_list.at(-1)
  if (!delivery || !last) return null
  if (!last.error) return words('wentOut', { status: last.status ?? 0 })
  const why = errorWords(last.error)
  return words(delivery.standing === 'failed' ? 'didNotGoOut' : 'triesAgain', { why })
}
