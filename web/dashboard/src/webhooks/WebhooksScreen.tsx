import { Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { KindCard } from './KindCard'
import { byKind } from './kinds'
import { useEndpoints } from './useEndpoints'
import classes from './Webhooks.module.css'

/** The webhook endpoints of the app and their state. */
export default function WebhooksScreen(_: { me: Me }) {
  return (
    <AdminWords>
      <Webhooks />
    </AdminWords>
  )
}

function Webhooks() {
  const words = useTranslations('webhooks')
  const { data, error, refetch } = useEndpoints()
  return (
    <Screen isWide title={words('title')} help={words('help')}>
      {data === undefined && error && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && !error && <SkeletonRows count={6} />}
      {data && data.length === 0 && (
        <div className={classes.nothing}>
          <Text fw={600}>{words('nothing')}</Text>
          <Text className="muted">{words('nothingHelp')}</Text>
        </div>
      )}
      {data && (
        <Stack gap="sm">
          {byKind(data).map((group) => (
            <KindCard key={group.kind} {...group} />
          ))}
        </Stack>
      )}
    </Screen>
  )
}
