import { Badge, Code, Group, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { Endpoint } from '../app/shapes'
import { CopyButton } from '../ui/CopyButton'
import { EndpointActions } from './EndpointActions'
import { EndpointProblem } from './EndpointProblem'
import { isUncounted, type Kind, pathIdOf } from './kinds'
import { TestResult } from './TestResult'
import { useTestEndpoint } from './useEndpoints'
import classes from './Webhooks.module.css'

interface EndpointCardProps {
  kind: Kind
  endpoint: Endpoint
  /** Opens the form; undefined if the URL is set elsewhere. */
  onChange: (() => void) | undefined
}

/** An endpoint: URL, state, waiting deliveries, limits and actions. */
export function EndpointCard({ kind, endpoint, onChange }: EndpointCardProps) {
  const words = useTranslations('webhooks')
  const test = useTestEndpoint(pathIdOf(endpoint))
  const attempt = test.data?.data.attempt
  return (
    <div className={classes.endpoint}>
      <Group gap="xs" className={classes.line ?? ''}>
        <State state={endpoint.state} />
        {endpoint.name && <Text fw={600}>{endpoint.name}</Text>}
        <Code className={classes.url ?? ''}>{endpoint.url}</Code>
        <CopyButton text={endpoint.url} />
      </Group>
      <EndpointProblem endpoint={endpoint} />
      <Text size="sm" className="muted">
        <Backlog endpoint={endpoint} />
        <br />
        <Limits endpoint={endpoint} />
      </Text>
      <EndpointActions
        name={endpoint.name ?? words(`kind.${kind}`)}
        endpoint={endpoint}
        test={test}
        onChange={onChange}
      />
      {attempt && <TestResult attempt={attempt} url={endpoint.url} onClose={test.reset} />}
    </div>
  )
}

const STATES = ['healthy', 'failing', 'paused', 'disabled'] as const

function State({ state }: { state: string }) {
  const words = useTranslations('webhooks')
  const known = STATES.find((it) => it === state)
  return (
    <Badge variant="outline" tt="none" className={classes.state ?? ''} data-state={state}>
      {known ? words(`state.${known}`) : state}
    </Badge>
  )
}

function Backlog({ endpoint }: { endpoint: Endpoint }) {
  const words = useTranslations('webhooks')
  const format = useFormatter()
  const { waiting, oldest_waiting_at } = endpoint
  const count = isUncounted(endpoint) ? words('waitingMany') : words('waiting', { count: waiting })
  if (!oldest_waiting_at) return count
  const since = format.dateTime(new Date(oldest_waiting_at), {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return `${count}, ${words('oldest', { since })}`
}

function Limits({ endpoint }: { endpoint: Endpoint }) {
  const words = useTranslations('webhooks')
  return words('limitsOf', {
    timeout: endpoint.timeout_ms / 1000,
    atOnce: endpoint.at_once_max,
    perSecond: endpoint.per_second_max ? String(endpoint.per_second_max) : 'none',
    block: Math.round(endpoint.block_s / 6) / 10,
  })
}
