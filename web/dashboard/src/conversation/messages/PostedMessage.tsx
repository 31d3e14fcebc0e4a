import { Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../../app/lazyPart'
import type { Comment, Me, Row } from '../../app/shapes'
import classes from '../Conversation.module.css'
import { Content } from '../types/Content'
import { MessageMenu } from './MessageMenu'
import { isFromCustomer } from './sender'
import { Time } from './Time'

const EditBox = lazyPart(() => import('./EditBox'))

export interface PostedMessageProps {
  me: Me
  row: Row | undefined
  comment: Comment
  isEdited: boolean
  /** Updates the message in the thread. */
  put: (comment: Comment) => void
  /** Jumps to another message. */
  jump: (id: string) => void
  /** Quotes the message in a reply; null if the agent cannot reply. */
  quote: ((comment: Comment) => void) | null
}

/** A posted message. Customers are on one side, agents and the bot on the other. */
export function PostedMessage({
  me,
  row,
  comment,
  isEdited,
  put,
  jump,
  quote,
}: PostedMessageProps) {
  const words = useTranslations('conversation')
  const [isEditing, setEditing] = useState(false)
  const isOwn = comment.email === me.user.chat_user_id
  const state = stateOf(comment)
  const side = isOwn ? 'own' : isFromCustomer(comment) ? 'customer' : 'colleague'
  return (
    <article className={classes.said} data-side={side}>
      {!isOwn && (
        <Text size="xs" fw={600}>
          {comment.username}
        </Text>
      )}
      <div className={classes.line}>
        <div className={classes.bubble}>
          {comment.is_deleted ? (
            <Text fs="italic" className="muted">
              {words('deleted')}
            </Text>
          ) : isEditing ? (
            <Suspense>
              <EditBox comment={comment} put={put} onClose={() => setEditing(false)} />
            </Suspense>
          ) : (
            <Content comment={comment} isTrusted={side !== 'customer'} jump={jump} />
          )}
        </div>
        {!comment.is_deleted && !isEditing && (
          <MessageMenu
            me={me}
            row={row}
            comment={comment}
            isOwn={isOwn}
            put={put}
            edit={() => setEditing(true)}
            quote={quote}
          />
        )}
      </div>
      <Text size="xs" className="muted" component="div">
        <Time at={comment.timestamp} />
        {(isEdited || comment.is_edited) && !comment.is_deleted && ` · ${words('edited')}`}
        {isOwn && !comment.is_deleted && state !== 'failed' && ` · ${words(`status.${state}`)}`}
      </Text>
      {state === 'failed' && !comment.is_deleted && (
        <Text size="xs" fw={600} role="status">
          {words('notDelivered', { why: comment.channel_status?.reason ?? '' })}
        </Text>
      )}
    </article>
  )
}

const WAY = ['sent', 'delivered', 'read'] as const

/** Returns the delivery state of a message: the furthest of its receipts and its channel's reports.
 * A queued or failed channel state wins. */
function stateOf({ channel_status, status }: Comment) {
  const channelState = channel_status?.state
  if (channelState === 'queued' || channelState === 'failed') return channelState
  return WAY.findLast((it) => it === channelState || it === status) ?? 'sent'
}
