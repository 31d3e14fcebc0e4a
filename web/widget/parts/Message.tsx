import type { OutboxItem } from '../../shared/outbox'
import { record, text } from '../../shared/payload'
import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import { systemEvent } from '../state/events'
import { Content } from './Content'
import { timeOf } from './days'
import { Words } from './Words'

interface Entry {
  message: Comment | undefined
  pending: OutboxItem | undefined
}

interface GroupPosition {
  /** Whether the message is the first or the last of a group by one author. */
  isFirst: boolean
  isLast: boolean
  isNewestOwn: boolean
}

/** An entry of the message list. Comments and outbox items are immutable, so that unchanged entries
 * are not rendered again. */
export function Message({
  chat,
  message,
  pending,
  ...position
}: Entry & { chat: Chat } & GroupPosition) {
  if (message?.type === 'system_event') return <Event chat={chat} comment={message} />
  if (message) return <PostedMessage chat={chat} comment={message} {...position} />
  return pending ? <UnsentMessage chat={chat} item={pending} /> : null
}

function Event({ chat, comment }: { chat: Chat; comment: Comment }) {
  const event = systemEvent(comment)
  const shown =
    event.is === 'joined'
      ? chat.translate('joined', { name: event.name })
      : event.is === 'resolved'
        ? chat.translate('resolved')
        : comment.message
  return shown ? <p class="quiet">{shown}</p> : null
}

function PostedMessage({
  chat,
  comment,
  ...position
}: { chat: Chat; comment: Comment } & GroupPosition) {
  const isOwn = chat.isOwn(comment)
  return (
    <article class={isOwn ? 'said own' : 'said'}>
      <p class={position.isFirst && !isOwn ? 'name' : 'hidden'}>
        {isOwn ? chat.translate('you') : comment.username}
      </p>
      <div class="bubble">
        {comment.is_deleted ? (
          <em>{chat.translate('deleted')}</em>
        ) : (
          <Content chat={chat} comment={comment} />
        )}
      </div>
      {(position.isLast || position.isNewestOwn) && (
        <p class="meta" dir="auto">
          <time dateTime={comment.timestamp}>{timeOf(chat, comment.timestamp)}</time>
          {position.isNewestOwn && ` · ${chat.translate(chat.statusOf(comment))}`}
        </p>
      )}
    </article>
  )
}

/** An outbox item: waiting to be sent, or rejected. */
function UnsentMessage({ chat, item }: { chat: Chat; item: OutboxItem }) {
  const id = item.unique_temp_id
  const shown = text(item.body.comment) || text(record(item.body.payload).file_name)
  return (
    <article class="said own waiting">
      <p class="hidden">{chat.translate('you')}</p>
      <div class="bubble">
        <Words>{shown}</Words>
      </div>
      {item.refused === undefined ? (
        <p class="meta">{chat.translate('sending')}</p>
      ) : (
        <p class="meta wrong" role="alert">
          {item.refused
            ? chat.translate('notSent', { reason: item.refused })
            : chat.translate('identityFailed')}{' '}
          <button type="button" class="plain" onClick={() => chat.retry(id)}>
            {chat.translate('retry')}
          </button>{' '}
          <button type="button" class="plain" onClick={() => chat.discard(id)}>
            {chat.translate('discard')}
          </button>
        </p>
      )}
    </article>
  )
}
