import type { OutboxItem } from '../../../../shared/outbox'
import type { Comment, Me, Row } from '../../app/shapes'
import { useOutbox } from '../../live/OutboxProvider'
import { PostedMessage } from './PostedMessage'
import { SystemEvent } from './SystemEvent'
import { UnsentItem } from './UnsentItem'
import type { ThreadEntry } from './useThread'

export interface MessageProps {
  me: Me
  row: Row | undefined
  entry: ThreadEntry
  isEdited: boolean
  /** Updates the message in the thread. */
  put: (comment: Comment) => void
  /** Jumps to another message. */
  jump: (id: string) => void
  /** Quotes the message in a reply; null if the agent cannot reply. */
  quote: ((comment: Comment) => void) | null
}

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
