import { Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CopyButton } from '../ui/CopyButton'
import { allowCommand } from './kinds'
import classes from './Webhooks.module.css'

/** The option with which an operator allows a private address. */
export function AllowAddress({ url }: { url: string }) {
  const words = useTranslations('webhooks')
  const line = allowCommand(url)
  if (line === null) return null
  return (
    <div>
      <Text size="sm">{words('blocked')}</Text>
      <Group gap="xs">
        <Code className={classes.url ?? ''}>{line}</Code>
        <CopyButton text={line} />
      </Group>
    </div>
  )
}
