import { Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CopyButton } from '../CopyButton'

/** The id of a failed request, by which operators find it in the log. */
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
