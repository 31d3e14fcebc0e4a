// What the server says about a conversation by itself. Public clients look for these texts, so they
// stay as they are; newer servers say the same in the payload.

import { record, text } from '../../shared/payload'
import type { Comment } from './api'

export type SystemEvent =
  | { is: 'joined'; name: string }
  | { is: 'resolved' }
  | { is: 'reopened' }
  /** How a conversation was, which the customer says after its end. */
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
