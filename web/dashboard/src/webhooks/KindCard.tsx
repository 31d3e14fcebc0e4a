import { Button, Group, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useId } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../app/lazyPart'
import type { Endpoint } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { EndpointCard } from './EndpointCard'
import { KINDS_SET_ELSEWHERE, type Kind } from './kinds'
import classes from './Webhooks.module.css'

const EndpointForm = lazyPart(() => import('./EndpointForm'))

/** A kind of webhook: what it reports, and its endpoints. */
export function KindCard({ kind, endpoints }: { kind: Kind; endpoints: Endpoint[] }) {
  const words = useTranslations('webhooks')
  const id = useId()
  const isOffline = useIsOffline()
  const [isOpen, { open, close }] = useDisclosure()
  const isSetElsewhere = KINDS_SET_ELSEWHERE.includes(kind)
  const name = words(`kind.${kind}`)
  return (
    <section className={classes.kind} aria-labelledby={id}>
      <Group justify="space-between" align="start" gap="xs">
        <div className={classes.about}>
          <Title order={2} size="h5" id={id}>
            {name}
          </Title>
          <Text size="sm" className="muted">
            {words(`about.${kind}`)} {isSetElsewhere && words(kindOfOthers(kind))}
          </Text>
        </div>
        {endpoints.length === 0 && !isSetElsewhere && (
          <Button
            variant="default"
            size="xs"
            disabled={isOffline}
            aria-label={words('addTo', { kind: name })}
            onClick={open}
          >
            {words('add')}
          </Button>
        )}
      </Group>
      {endpoints.map((endpoint) => (
        <EndpointCard
          key={endpoint.id ?? endpoint.url}
          kind={kind}
          endpoint={endpoint}
          onChange={isSetElsewhere ? undefined : open}
        />
      ))}
      {isOpen && (
        <Suspense>
          <EndpointForm kind={kind} kept={endpoints[0]} onClose={close} />
        </Suspense>
      )}
    </section>
  )
}

const kindOfOthers = (kind: Kind) => (kind === 'custom_button' ? 'ofButtons' : 'ofChannels')
