import { Anchor, Group, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { OutboxItem } from '../../../shared/outbox'
import type { Comment, Me } from '../app/shapes'
import { useOutbox } from '../live/OutboxProvider'
import classes from './Conversation.module.css'
import { Content } from './types/Content'
import type { ThreadEntry } from './useThread'

export function Message({ me, entry }: { me: Me; entry: ThreadEntry }) {
  if (entry.message?.type === 'system_event') return <SystemEvent comment={entry.message} />
  if (entry.message) return <Said me={me} comment={entry.message} />
  return entry.pending ? <Waiting item={entry.pending} /> : null
}

function SystemEvent({ comment }: { comment: Comment }) {
  const format = useFormatter()
  const time = new Date(comment.timestamp)
  return (
    <p className={classes.event}>
      {comment.message} <Time time={time} text={format.dateTime(time, { timeStyle: 'short' })} />
    </p>
  )
}

function Said({ me, comment }: { me: Me; comment: Comment }) {
  const words = useTranslations('conversation')
  const format = useFormatter()
  const isOwn = comment.email === me.user.chat_user_id
  const time = new Date(comment.timestamp)
  return (
    <article className={classes.said} data-side={isOwn ? 'own' : 'other'}>
      {!isOwn && (
        <Text size="xs" fw={600}>
          {comment.username}
        </Text>
      )}
      <div className={classes.bubble}>
        {comment.is_deleted ? (
          <Text fs="italic" className="muted">
            {words('deleted')}
          </Text>
        ) : (
          <Content comment={comment} />
        )}
      </div>
      <Text size="xs" className="muted" component="div">
        <Time time={time} text={format.dateTime(time, { timeStyle: 'short' })} />
        {isOwn && ` · ${words(`status.${statusOf(comment.status)}`)}`}
      </Text>
    </article>
  )
}

/** What is not on the server yet, or was refused. */
function Waiting({ item }: { item: OutboxItem }) {
  const words = useTranslations('conversation')
  const { outbox } = useOutbox()
  return (
    <article className={classes.said} data-side="own" data-is-waiting="true">
      <div className={classes.bubble}>
        <Text className={classes.words}>{String(item.body.message ?? '')}</Text>
      </div>
      {item.refused === undefined ? (
        <Text size="xs" className="muted">
          {words('sending')}
        </Text>
      ) : (
        <Group gap="xs" justify="flex-end" role="alert">
          <Text size="xs">{words('notSent', { reason: item.refused })}</Text>
          <Anchor component="button" size="xs" onClick={() => outbox?.retry(item.unique_temp_id)}>
            {words('retry')}
          </Anchor>
          <Anchor component="button" size="xs" onClick={() => outbox?.discard(item.unique_temp_id)}>
            {words('discard')}
          </Anchor>
        </Group>
      )}
    </article>
  )
}

function Time({ time, text }: { time: Date; text: string }) {
  return <time dateTime={time.toISOString()}>{text}</time>
}

function statusOf(text: string): 'sent' | 'delivered' | 'read' {
  return text === 'read' || text === 'delivered' ? text : 'sent'
}
