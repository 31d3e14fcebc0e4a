import { Anchor, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { withQuery } from '../../../shared/call'
import { lazyPart } from '../app/lazyPart'
import type { Endpoint } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useEndpointAction, type useTestEndpoint } from './useEndpoints'

const RemoveDialog = lazyPart(() => import('./RemoveDialog'))

interface EndpointActionsProps {
  /** Name for the buttons' accessible labels, because the page has many of them. */
  name: string
  endpoint: Endpoint
  test: ReturnType<typeof useTestEndpoint>
  onChange: (() => void) | undefined
}

export function EndpointActions({ name, endpoint, test, onChange }: EndpointActionsProps) {
  const words = useTranslations('webhooks')
  const [isRemoving, removing] = useDisclosure()
  const mutation = useEndpointAction()
  const showDone = useSuccessNotice()
  const { id, kind, is_paused } = endpoint
  const turn = () =>
    mutation.mutate(
      { of: endpoint, action: is_paused ? 'resume' : 'pause' },
      { onSuccess: () => showDone(words(is_paused ? 'didResume' : 'didPause')) },
    )
  const deliveries = withQuery('/webhooks/deliveries', id ? { endpoint: id } : { kind })
  return (
    <Group gap="xs">
      <ActionButton
        label={words('testOf', { name })}
        isBusy={test.isPending}
        onClick={() => test.mutate()}
      >
        {words('test')}
      </ActionButton>
      <ActionButton
        label={words(is_paused ? 'resumeOf' : 'pauseOf', { name })}
        isBusy={mutation.isPending}
        onClick={turn}
      >
        {words(is_paused ? 'resume' : 'pause')}
      </ActionButton>
      {onChange && (
        <ActionButton
          label={words(endpoint.is_enabled ? 'changeOf' : 'switchOnOf', { name })}
          onClick={onChange}
        >
          {words(endpoint.is_enabled ? 'change' : 'switchOn')}
        </ActionButton>
      )}
      {endpoint.is_deletable && (
        <ActionButton label={words('removeOf', { name })} onClick={removing.open}>
          {words('remove')}
        </ActionButton>
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

interface ActionButtonProps {
  label: string
  isBusy?: boolean
  onClick: () => void
  children: ReactNode
}

function ActionButton({ label, isBusy = false, onClick, children }: ActionButtonProps) {
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
