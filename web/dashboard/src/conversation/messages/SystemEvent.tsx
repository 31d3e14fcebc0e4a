import { useTranslations } from 'use-intl'
import type { Comment } from '../../app/shapes'
import classes from '../Conversation.module.css'
import { eventOf } from './event'
import { Time } from './Time'

/** A system event, in the reader's language if its payload has a known type. */
export function SystemEvent({ comment }: { comment: Comment }) {
  const words = useTranslations('message')
  const event = eventOf(comment)
  return (
    <p className={classes.event}>
      {event === null
        ? comment.message
        : words(`event.${event.type}`, { agent: event.agent, by: event.by })}{' '}
      <Time at={comment.timestamp} />
    </p>
  )
}
