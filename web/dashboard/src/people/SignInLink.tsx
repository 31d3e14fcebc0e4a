import { Stack, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { SignInLink as Link } from '../app/shapes'
import { CodeToCopy } from '../channels/CodeToCopy'

/** A one-time sign-in link. Neither the page nor the server can show it again. */
export function SignInLink({ name, link }: { name: string; link: Link }) {
  const words = useTranslations('people')
  const format = useFormatter()
  const time = format.dateTime(new Date(link.expires_at), {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">{words('linkHelp', { name, time })}</Text>
      <CodeToCopy text={link.link} />
    </Stack>
  )
}
