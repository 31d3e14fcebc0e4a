import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Data, Me } from '../app/shapes'
import { CodeToCopy } from '../channels/CodeToCopy'

/** The API calls with which a bot replies and hands over to agents. */
export function HandOver({ me }: { me: Me }) {
  const words = useTranslations('bot')
  const { code } = me.app
  // The prefix of header names is the server's setting.
  const { data: brand = 'SERVICE' } = useQuery({
    queryKey: ['brand'],
    queryFn: () =>
      call<Data<{ brand: string }>>('GET', `/api/v2/widget/${code}`).then(({ data }) =>
        data.brand.toUpperCase(),
      ),
  })
  const curl = (path: string, body: string) =>
    [
      `curl -X POST '${me.server.public_url}${path}' \\`,
      `  -H '${brand}-APP-ID: ${code}' -H "${brand}-SECRET-KEY: $SECRET_KEY" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${body}'`,
    ].join('\n')
  const answer = { sender_email: `${code}_admin@bot.example`, room_id: 'ROOM', message: 'Hello!' }
  return (
    <section aria-labelledby="calls-title">
      <Title order={2} size="h4" id="calls-title">
        {words('calls')}
      </Title>
      <Stack gap="sm" mt="sm">
        <Text size="sm">{words('answers')}</Text>
        <CodeToCopy text={curl(`/${code}/bot`, JSON.stringify(answer))} />
        <Text size="sm">{words('handsOver')}</Text>
        <CodeToCopy text={curl('/bot/ROOM/activate', '{"is_active":false}')} />
      </Stack>
    </section>
  )
}
