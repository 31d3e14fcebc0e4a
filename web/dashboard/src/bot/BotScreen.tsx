import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import type { BotConfig, Data, Me } from '../app/shapes'
import { ErrorState } from '../ui/ErrorState'
import { Loading } from '../ui/Loading'
import { useTitle } from '../ui/useTitle'
import { Address } from './Address'
import classes from './Bot.module.css'
import { BOT } from './botKey'
import { HandOver } from './HandOver'
import { Life } from './Life'
import { Switches } from './Switches'

/** A program that answers first: where it is, whether it is on, and how it hands over to people. */
export default function BotScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('bot')
  useTitle(words('title'))
  const { data, error, refetch } = useQuery({
    queryKey: BOT,
    queryFn: () => call<Data<BotConfig>>('GET', '/api/v1/app/bot').then((answer) => answer.data),
    // Another admin may have changed it since.
    refetchOnMount: 'always',
  })
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />
  if (!data) return <Loading />
  return (
    <main id="main" className={classes.screen} data-region tabIndex={-1}>
      <Stack className={classes.column ?? ''} gap="xl">
        <div>
          <Title order={1} size="h2">
            {words('title')}
          </Title>
          <Text className="muted">{words('intro')}</Text>
        </div>
        <Address bot={data} />
        <Switches bot={data} />
        <Life isOn={data.is_bot_enabled} />
        <HandOver me={me} />
      </Stack>
    </main>
  )
}
