import { Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { AddChannel } from './AddChannel'
import { ChannelCard } from './ChannelCard'
import classes from './Channels.module.css'
import { ProviderList } from './providers/ProviderList'
import { useProviderChannels } from './providers/useProviderChannels'
import { useChannels } from './useChannels'

/** The screen of all channels: messaging providers, the widget, and custom channels. */
export default function ChannelsScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('channels')
  const [isAdding, setAdding] = useState(false)
  const channels = useChannels()
  const services = useProviderChannels()
  // Wait for both lists: one of them alone would look complete.
  const data = services.data && channels.data
  const error = channels.error ?? services.error
  const refetch = () => Promise.all([channels.refetch(), services.refetch()])
  const add = <Button onClick={() => setAdding(true)}>{words('add')}</Button>
  return (
    <Screen title={words('title')} actions={data && add}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <SkeletonRows count={2} height={160} />}
      {data && <ProviderList services={services.data ?? []} />}
      {data && (
        <section className={classes.card} aria-labelledby="widget-title">
          <Title order={2} size="h4" id="widget-title">
            {words('widget')}
          </Title>
          <Text size="sm" mb="sm">
            {words('widgetHelp')}
          </Text>
          <Button component={Link} href="/channels/widget" variant="default">
            {words('setUpWidget')}
          </Button>
        </section>
      )}
      {data?.length === 0 && <Text className="muted">{words('none')}</Text>}
      {data?.map((channel) => (
        <ChannelCard key={channel.id} me={me} channel={channel} />
      ))}
      <AddChannel isOpen={isAdding} onClose={() => setAdding(false)} />
    </Screen>
  )
}
