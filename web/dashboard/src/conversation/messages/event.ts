import { record, text } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'

const TYPES = ['agent_joined', 'agent_left', 'resolved', 'reopened', 'bot_on', 'bot_off'] as const
export type EventType = (typeof TYPES)[number]

/** What a system event of the server's own says. Those of others are shown as they are written. */
export function eventOf(comment: Comment): { type: EventType; agent: string; by: string } | null {
  const payload = record(record(comment.payload).payload)
  const type = TYPES.find((it) => it === payload.type)
  if (type === undefined) return null
  const agent = text(record(payload.agent).name)
  const by = text(record(payload.by).name) || agent
  // Without a name there is nothing to translate; the text has it.
  if ((type === 'agent_joined' || type === 'agent_left') && agent === '') return null
  return by === '' && agent === '' ? null : { type, agent: agent || by, by }
}
