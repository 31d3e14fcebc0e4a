import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { Part } from '../widget/Part'
import { KINDS } from './kinds'
import classes from './Providers.module.css'
import { SHOWN_PROVIDERS } from './shown_providers'
import { isState } from './states'
import { type ProviderEntry, textOf, useHealth } from './useProviderChannels'

/** The connected provider channels, and the providers that can be connected. */
export function ProviderList({ services }: { services: ProviderEntry[] }) {
  const words = useTranslations('services')
  return (
    <Part title={words('title')} help={words('about')}>
      {services.length > 0 && (
        <ul className={classes.list}>
          {services.map((service) => (
            <Row key={service.record.id} {...service} />
          ))}
        </ul>
      )}
      <Stack gap="xs">
        {services.length === 0 && <Text size="sm">{words('none')}</Text>}
        <Group gap="xs">
          {SHOWN_PROVIDERS.map((word) => (
            <Button
              key={word}
              component={Link}
              href={`/channels/connect/${word}`}
              variant="default"
            >
              {words('connect', { service: KINDS[word].name })}
            </Button>
          ))}
        </Group>
      </Stack>
    </Part>
  )
}

function Row({ kind, record }: ProviderEntry) {
  const account = textOf(record, kind.account)
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Anchor component={Link} href={`/channels/${record.id}`} fw={600}>
          {record.name}
        </Anchor>
        <Text size="sm" className="muted">
          {account ? `${kind.name} · ${account}` : kind.name}
        </Text>
      </div>
      <State id={record.id} />
    </li>
  )
}

/** The channel's state and number of given-up events; empty until they are loaded. */
function State({ id }: { id: number }) {
  const words = useTranslations('services')
  const { data } = useHealth(id)
  if (!data) return null
  const { state, given_up_events: count } = data
  const isBad = (state !== 'ok' && state !== 'off') || count > 0
  return (
    <Text size="sm" className={isBad ? (classes.bad ?? '') : ''}>
      {isState(state) ? words(`state.${state}`) : state}
      {count > 0 && `, ${words('givenUpShort', { count })}`}
    </Text>
  )
}
