import type { SoundName } from '../app/preferences'
import type { Me, Row } from '../app/shapes'
import { isInView } from '../inbox/views'

/** Returns the event of a changed conversation that notifies the agent, if any. */
export function notificationOf(before: Row | undefined, row: Row, me: Me): SoundName | null {
  const [was, is] = [before && isInView('mine', me, before), isInView('mine', me, row)]
  if (is && !was) return 'assigned'
  if (is && isNewFromCustomer(before, row)) return 'message'
  const waited = before && isInView('unassigned', me, before)
  return isInView('unassigned', me, row) && !waited ? 'unassigned' : null
}

function isNewFromCustomer(before: Row | undefined, row: Row): boolean {
  if (row.last_comment_sender_type !== 'customer' || !before) return false
  const mark = (row: Row) => row.last_comment_id ?? row.last_comment_timestamp
  return mark(before) !== mark(row)
}
