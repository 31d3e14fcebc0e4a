import { Button, Group, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../app/lazyPart'
import { useIsOffline } from '../live/useIsOffline'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { MoreButton } from '../ui/MoreButton'
import classes from './Deliveries.module.css'
import { DeliveryRow } from './DeliveryRow'
import { Filters } from './Filters'
import { type DeliveryFilters, searchOf } from './filters'
import { useDeliveries } from './useDeliveries'
import { useTail } from './useTail'

const ExampleDialog = lazyPart(() => import('./ExampleDialog'))
const ReplayAllDialog = lazyPart(() => import('./replay/ReplayAllDialog'))

interface DeliveryListProps {
  filters: DeliveryFilters
  chosen: string | undefined
}

export function DeliveryList({ filters, chosen }: DeliveryListProps) {
  const words = useTranslations('deliveries')
  const isOffline = useIsOffline()
  const [isLive, setLive] = useState(true)
  const newCount = useTail(isLive)
  const [isExample, example] = useDisclosure()
  const [isReplay, replay] = useDisclosure()
  const list = useDeliveries(filters)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = list
  const shown = data?.pages.flatMap((page) => page.data.deliveries) ?? []
  return (
    <>
      <Group gap="sm">
        <Switch
          label={words('live')}
          checked={isLive}
          onChange={(event) => setLive(event.currentTarget.checked)}
        />
        <Button variant="default" size="xs" disabled={isOffline} onClick={() => refetch()}>
          {words('refresh')}
        </Button>
        <Button variant="default" size="xs" disabled={isOffline} onClick={example.open}>
          {words('example')}
        </Button>
        <Button variant="default" size="xs" disabled={isOffline} onClick={replay.open}>
          {words('replayAll')}
        </Button>
      </Group>
      <Text size="xs" className="muted" role="status">
        {newCount > 0 ? words('heard', { count: newCount }) : words('liveHelp')}
      </Text>
      <Filters filters={filters} />
      {!data && error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={6} height={56} />}
      {data && shown.length === 0 && !hasNextPage && (
        <EmptyState title={words('nothing')}>
          <Text size="sm" className="muted">
            {words('nothingHelp')}
          </Text>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <ul className={classes.rows} aria-label={words('list')}>
          {shown.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              search={searchOf(filters)}
              isChosen={String(delivery.id) === chosen}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <MoreButton
          label={words('more')}
          isLoading={isFetchingNextPage}
          error={list.isFetchNextPageError ? error : null}
          onMore={() => void fetchNextPage()}
        />
      )}
      <Suspense>
        {isExample && <ExampleDialog kind={filters.kind} onClose={example.close} />}
        {isReplay && <ReplayAllDialog filters={filters} onClose={replay.close} />}
      </Suspense>
    </>
  )
}
