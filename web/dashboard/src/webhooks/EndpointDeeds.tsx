import { Anchor, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { withQuery } from '../../../shared/call'
import { lazyPart } from '../app/lazyPart'
import type { Endpoint } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { useSuccessNotice } from '../ui/useSuccessNotice'
import { useEndpointDeed, type useTestEndpoint } from './useEndpoints'

const RemoveDialog = lazyPart(() => import('./RemoveDialog'))

interface EndpointDeedsProps {
  /** Name for the buttons' accessible labels, because the page has many of them. */
  name: string
  endpoint: Endpoint
  test: ReturnType<typeof useTestEndpoint>
  onChange: (() => void) | undefined
}

export function EndpointDeeds({ name, endpoint, test, onChange }: EndpointDeedsProps) {
  const words = useTranslations('webhooks')
  const [isRemoving, removing] = useDisclosure()
  const deed = useEndpointDeed()
  const showDone = useSuccessNotice()
  const { id, kind, is_paused } = endpoint
  const turn = () =>
    deed.mutate(
      { of: endpoint, deed: is_paused ? 'resume' : 'pause' },
      { onSuccess: () => showDone(words(is_paused ? 'didResume' : 'didPause')) },
    )
  const deliveries = withQuery('/webhooks/deliveries', id ? { endpoint: id } : { kind })
  return (
    <Group gap="xs">
      <Deed label={words('testOf', { name })} isBusy={test.isPending} onClick={() => test.mutate()}>
        {words('test')}
      </Deed>
      <Deed
        label={words(is_paused ? 'resumeOf' : 'pauseOf', { name })}
        isBusy={deed.isPending}
        onClick={turn}
      >
        {words(is_paused ? 'resume' : 'pause')}
      </Deed>
      {onChange && (
        <Deed
          label={words(endpoint.is_enabled ? 'changeOf' : 'switchOnOf', { name })}
          onClick={onChange}
        >
          {words(endpoint.is_enabled ? 'change' : 'switchOn')}
        </Deed>
      )}
      {endpoint.is_deletable && (
        <Deed label={words('removeOf', { name })} onClick={removing.open}>
          {words('remove')}
        </Deed>
      )}
      <Anchor
        component={Link}
        to={deliveries}
        size="sm"
        py={4}
        aria-label={words('deliveriesOf', { name })}
      >
        {words('deliveries')}
      </Anchor>
      {isRemoving && (
        <Suspense>
          <RemoveDialog name={name} endpoint={endpoint} onClose={removing.close} />
        </Suspense>
      )}
    </Group>
  )
}

interface DeedProps {
  label: string
  isBusy?: boolean
  onClick: () => void
  children: ReactNode
}

function Deed({ label, isBusy = false, onClick, children }: DeedProps) {
  const isOffline = useIsOffline()
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={label}
      loading={isBusy}
      disabled={isOffline}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}
