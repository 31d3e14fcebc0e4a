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

interface Place {
  /** Whether the message is the first or the last of a group by one author. */
  isFirst: boolean
  isLast: boolean
  isNewestOwn: boolean
}

/** An entry of the message list. Comments and outbox items are immutable, so that unchanged entries
 * are not rendered again. */
export function Message({ chat, message, pending, ...place }: Entry & { chat: Chat } & Place) {
  if (message?.type === 'system_event') return <Event chat={chat} comment={message} />
  if (message) return <Said chat={chat} comment={message} {...place} />
  return pending ? <Waiting chat={chat} item={pending} /> : null
}

function Event({ chat, comment }: { chat: Chat; comment: Comment }) {
  const event = systemEvent(comment)
  const shown =
    event.is === 'joined'
      ? chat.say('joined', { name: event.name })
      : event.is === 'resolved'
        ? chat.say('resolved')
        : comment.message
  return shown ? <p class="quiet">{shown}</p> : null
}

function Said({ chat, comment, ...place }: { chat: Chat; comment: Comment } & Place) {
  const isOwn = chat.isOwn(comment)
  return (
    <article class={isOwn ? 'said own' : 'said'}>
      <p class={place.isFirst && !isOwn ? 'name' : 'hidden'}>
        {isOwn ? chat.say('you') : comment.username}
      </p>
      <div class="bubble">
        {comment.is_deleted ? (
          <em>{chat.say('deleted')}</em>
        ) : (
          <Content chat={chat} comment={comment} />
        )}
      </div>
      {(place.isLast || place.isNewestOwn) && (
        <p class="meta" dir="auto">
          <time dateTime={comment.timestamp}>{timeOf(chat, comment.timestamp)}</time>
          {place.isNewestOwn && ` · ${chat.say(chat.statusOf(comment))}`}
        </p>
      )}
    </article>
  )
}

/** An outbox item: waiting to be sent, or rejected. */
function Waiting({ chat, item }: { chat: Chat; item: OutboxItem }) {
  const id = item.unique_temp_id
  const shown = text(item.body.comment) || text(record(item.body.payload).file_name)
  return (
    <article class="said own waiting">
      <p class="hidden">{chat.say('you')}</p>
      <div class="bubble">
        <Words>{shown}</Words>
      </div>
      {item.refused === undefined ? (
        <p class="meta">{chat.say('sending')}</p>
      ) : (
        <p class="meta wrong" role="alert">
          {item.refused
            ? chat.say('notSent', { reason: item.refused })
            : chat.say('identityFailed')}{' '}
          <button type="button" class="plain" onClick={() => chat.retry(id)}>
            {chat.say('retry')}
          </button>{' '}
          <button type="button" class="plain" onClick={() => chat.discard(id)}>
            {chat.say('discard')}
          </button>
        </p>
      )}
    </article>
  )
}
