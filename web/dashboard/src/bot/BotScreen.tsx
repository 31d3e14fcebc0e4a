import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import type { BotConfig, Data, Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { Address } from './Address'
import { BotTest } from './BotTest'
import { BOT } from './botKey'
import { HandOver } from './HandOver'
import { LifeCycle } from './LifeCycle'
import { Switches } from './Switches'

/** The bot settings: URL, switches, and how the bot hands over to agents. */
export default function BotScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Loaded me={me} />
    </AdminWords>
  )
}

function Loaded({ me }: { me: Me }) {
  const words = useTranslations('bot')
  const { data, error, refetch } = useQuery({
    queryKey: BOT,
    queryFn: () => call<Data<BotConfig>>('GET', '/api/v1/app/bot').then((answer) => answer.data),
    // Another admin may have changed the settings.
    refetchOnMount: 'always',
  })
  return (
    <Screen title={words('title')} help={words('intro')}>
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!error && !data && <SkeletonRows count={3} />}
      {data && (
        <Stack gap="xl">
          <Address bot={data} />
          {data.bot_webhook_url && <BotTest url={data.bot_webhook_url} />}
          <Switches bot={data} />
          <LifeCycle isOn={data.is_bot_enabled} />
          <HandOver me={me} />
        </Stack>
      )}
    </Screen>
  )
}
