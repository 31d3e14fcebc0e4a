import { Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CopyButton } from './CopyButton'

/** What whoever runs the server finds a failed request by. */
export function RequestId({ id }: { id: string }) {
  const words = useTranslations('states')
  return (
    <Group gap="xs">
      <Text size="sm">{words('request')}</Text>
      <Code>{id}</Code>
      <CopyButton text={id} />
    </Group>
  )
}
