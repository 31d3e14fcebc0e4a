import { record, text } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'

const TYPES = ['agent_joined', 'agent_left', 'resolved', 'reopened', 'bot_on', 'bot_off'] as const
export type EventType = (typeof TYPES)[number]

/** Parses a system event that the server posted. Returns null for all others, which are shown as
 * written. */
export function eventOf(comment: Comment): { type: EventType; agent: string; by: string } | null {
  const payload = record(record(comment.payload).payload)
  const type = TYPES.find((it) => it === payload.type)
  if (type === undefined) return null
  const agent = text(record(payload.agent).name)
  const by = text(record(payload.by).name) || agent
  // Without a name, the event's own text is more precise than a translation.
  if ((type === 'agent_joined' || type === 'agent_left') && agent === '') return null
  return by === '' && agent === '' ? null : { type, agent: agent || by, by }
}
