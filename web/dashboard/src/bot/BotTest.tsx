import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useIsOffline } from '../live/useIsOffline'
import { TestResult } from '../webhooks/TestResult'
import { useTestEndpoint } from '../webhooks/useEndpoints'

/** The button that sends an example to the bot, with the bot's response. */
export function BotTest({ url }: { url: string }) {
  const words = useTranslations('bot')
  const isOffline = useIsOffline()
  const test = useTestEndpoint('bot')
  return (
    <Stack gap="sm">
      <Group>
        <Button
          variant="default"
          loading={test.isPending}
          disabled={isOffline}
          onClick={() => test.mutate()}
        >
          {words('test')}
        </Button>
      </Group>
      {test.data && <TestResult attempt={test.data.data.attempt} url={url} onClose={test.reset} />}
    </Stack>
  )
}
