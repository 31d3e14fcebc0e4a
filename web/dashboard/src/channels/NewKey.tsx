import { Button, Code, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CopyButton } from '../ui/CopyButton'
import classes from './Channels.module.css'

/** The new key of a channel, with a warning that the gateway needs it. */
export function NewKey({ value, onDone }: { value: string; onDone: () => void }) {
  const words = useTranslations('channels')
  return (
    <div className={classes.fresh} role="status">
      <Text size="sm" fw={600}>
        {words('newKey')}
      </Text>
      <Text size="sm">{words('newKeyHelp')}</Text>
      <Group gap="xs" mt={4}>
        <Code className={classes.key ?? ''}>{value}</Code>
        <CopyButton text={value} />
        <Button size="compact-sm" variant="default" onClick={onDone}>
          {words('done')}
        </Button>
      </Group>
    </div>
  )
}
