import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/ErrorState'
import { Loading } from '../ui/Loading'
import { useTitle } from '../ui/useTitle'
import { AddChannel } from './AddChannel'
import { ChannelCard } from './ChannelCard'
import classes from './Channels.module.css'
import { useChannels } from './useChannels'

/** Where customers write from: the widget, and gateways of one's own. */
export default function ChannelsScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('channels')
  useTitle(words('title'))
  const [isAdding, setAdding] = useState(false)
  const { data, error, refetch } = useChannels()
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />
  if (!data) return <Loading />
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="lg">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {words('title')}
          </Title>
          <Button onClick={() => setAdding(true)}>{words('add')}</Button>
        </Group>
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
        {data.length === 0 && <Text className="muted">{words('none')}</Text>}
        {data.map((channel) => (
          <ChannelCard key={channel.id} me={me} channel={channel} />
        ))}
      </Stack>
      <AddChannel isOpen={isAdding} onClose={() => setAdding(false)} />
    </main>
  )
}
