import type { Me, Row } from '../app/shapes'

/** Why nothing can be written in a conversation, if so. */
export type Lock = 'resolved' | 'bot' | 'nobody' | 'colleague'

export function lockOf(me: Me, row: Row): Lock | null {
  if (row.is_resolved) return 'resolved'
  if (row.agents.some((agent) => agent.id === me.user.id)) return null
  if (row.agents.length > 0) return 'colleague'
  return row.is_handled_by_bot ? 'bot' : 'nobody'
}
