// System events of a conversation, recognized by the type in their payload or by their text. Older
// servers send only the text, and public clients match it, so it never changes.

import { record, text } from '../../shared/payload'
import type { Comment } from './api'

export type SystemEvent =
  | { is: 'joined'; name: string }
  | { is: 'resolved' }
  | { is: 'reopened' }
  /** The customer rated the conversation after its end. */
  | { is: 'rated' }
  | { is: 'other' }

const RESOLVED = 'marked this conversation as resolved'
const JOINED = ' joined this conversation'

export function systemEvent(comment: Comment): SystemEvent {
  const payload = record(comment.payload)
  const kind = text(record(payload.payload).type) || text(payload.type)
  const { message } = comment
  if (kind === 'resolved' || message.endsWith(RESOLVED)) return { is: 'resolved' }
  if (kind === 'reopened') return { is: 'reopened' }
  if (kind === 'rating') return { is: 'rated' }
  if (message.endsWith(JOINED)) return { is: 'joined', name: message.slice(0, -JOINED.length) }
  return { is: 'other' }
}
