// What frames change of the board, and in which order people stand on it.
import type { Frame } from '../../../shared/live'
import type { Board, BoardAgent, Counts } from '../app/shapes'

type AgentFrame = Pick<BoardAgent, 'id' | 'is_available' | 'force_offline' | 'serves'>

/** The board after a frame; the same one if the frame is about something else. */
export function boardAfter(board: Board, { type, data }: Frame): Board {
  if (type === 'counts') {
    const { unassigned, bot, open, longest_wait_since = null } = data as Counts
    return { ...board, queue: { waiting: unassigned, bot, open, longest_wait_since } }
  }
  if (type !== 'agent') return board
  const { id, is_available, force_offline, serves } = data as AgentFrame
  const changed = { is_available, force_offline, serves }
  const agents = board.agents.map((it) => (it.id === id ? { ...it, ...changed } : it))
  return { ...board, agents }
}

/** Whether a frame may tell of something that only the whole board shows: channels, new people. */
export const isWorthReading = ({ type }: Frame): boolean => type === 'counts' || type === 'agent'

export type Presence = 'there' | 'away' | 'forced'

export function presenceOf({ is_available, force_offline }: BoardAgent): Presence {
  if (force_offline) return 'forced'
  return is_available ? 'there' : 'away'
}

const RANK: Record<Presence, number> = { there: 0, away: 1, forced: 2 }

/** Who is there first, and of those who has most to do; otherwise by name. */
export function inOrder(agents: BoardAgent[]): BoardAgent[] {
  return agents.toSorted(
    (a, b) =>
      RANK[presenceOf(a)] - RANK[presenceOf(b)] ||
      loadOf(b) - loadOf(a) ||
      a.name.localeCompare(b.name),
  )
}

/** How much of what they can take they have; of those without a bound, nothing is known. */
export function loadOf({ serves, serves_max }: BoardAgent): number {
  return serves_max ? Math.min(serves / serves_max, 1) : 0
}
