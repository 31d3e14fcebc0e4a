import { Button, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Outbox, OutboxItem } from '../../../../shared/outbox'
import { record, text } from '../../../../shared/payload'
import classes from '../Conversation.module.css'

interface UnsentItemProps {
  item: OutboxItem
  /** The outbox that holds the item. */
  outbox: Outbox | null
}

/** A message or note that is not on the server yet, or that the server rejected. */
export function UnsentItem({ item, outbox }: UnsentItemProps) {
  const words = useTranslations('conversation')
  const name = text(record(item.body.payload).file_name)
  return (
    <article className={classes.said} data-side="own" data-is-waiting="true">
      <div className={classes.bubble}>
        {name && <Text fw={600}>{name}</Text>}
        <Text className={classes.words}>{text(item.body.message ?? item.body.text)}</Text>
      </div>
      {item.refused === undefined ? (
        <Text size="xs" className="muted">
          {words('sending')}
        </Text>
      ) : (
        <Group gap="xs" justify="flex-end" role="alert">
          <Text size="xs">{words('notSent', { reason: item.refused })}</Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void outbox?.retry(item.unique_temp_id)}
          >
            {words('retry')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void outbox?.discard(item.unique_temp_id)}
          >
            {words('discard')}
          </Button>
        </Group>
      )}
    </article>
  )
}
