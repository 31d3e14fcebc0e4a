import type { OutboxItem } from '../../../../shared/outbox'
import type { Comment, Me, Row } from '../../app/shapes'
import { useOutbox } from '../../live/OutboxProvider'
import { Said } from './Said'
import { SystemEvent } from './SystemEvent'
import type { ThreadEntry } from './useThread'
import { Waiting } from './Waiting'

export interface MessageProps {
  me: Me
  row: Row | undefined
  entry: ThreadEntry
  isEdited: boolean
  /** Shows a message as it is now. */
  put: (comment: Comment) => void
  /** Goes to another message. */
  jump: (id: string) => void
  /** Answers with a quote, where one may answer. */
  quote: ((comment: Comment) => void) | null
}

/** Something that was said, something that happened, or something that waits to be sent. */
export function Message({ entry, ...others }: MessageProps) {
  const { message, pending } = entry
  if (message?.type === 'system_event') return <SystemEvent comment={message} />
  if (message) return <Said comment={message} {...others} />
  return pending ? <WaitingMessage item={pending} /> : null
}

function WaitingMessage({ item }: { item: OutboxItem }) {
  const { outbox } = useOutbox()
  return <Waiting item={item} outbox={outbox} />
}
