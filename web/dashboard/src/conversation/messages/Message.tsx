import type { OutboxItem } from '../../../../shared/outbox'
import { useOutbox } from '../../live/OutboxProvider'
import { PostedMessage, type PostedMessageProps } from './PostedMessage'
import { SystemEvent } from './SystemEvent'
import type { ThreadEntry } from './thread/useThread'
import { UnsentItem } from './UnsentItem'

type MessageProps = Omit<PostedMessageProps, 'comment'> & { entry: ThreadEntry }

/** One entry of the thread: a posted message, a system event, or an outbox item. */
export function Message({ entry, ...others }: MessageProps) {
  const { message, pending } = entry
  if (message?.type === 'system_event') return <SystemEvent comment={message} />
  if (message) return <PostedMessage comment={message} {...others} />
  return pending ? <UnsentMessage item={pending} /> : null
}

function UnsentMessage({ item }: { item: OutboxItem }) {
  const { outbox } = useOutbox()
  return <UnsentItem item={item} outbox={outbox} />
}
