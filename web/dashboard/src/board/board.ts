// Applies frames to the board, and sorts its agents.
import type { Frame } from '../../../shared/live'
import type { Board, BoardAgent, Counts } from '../app/shapes'

type AgentFrame = Pick<BoardAgent, 'id' | 'is_available' | 'force_offline' | 'serves'>

/** Returns the board after a frame; the same object if the frame changes nothing. */
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

/** Whether a frame may mean changes that only a reload shows: channels, or new agents. */
export const needsReload = ({ type }: Frame): boolean => type === 'counts' || type === 'agent'

export type Presence = 'there' | 'away' | 'forced'

export function presenceOf({ is_available, force_offline }: BoardAgent): Presence {
  if (force_offline) return 'forced'
  return is_available ? 'there' : 'away'
}

const RANK: Record<Presence, number> = { there: 0, away: 1, forced: 2 }

/** Sorts agents by availability, then by load, then by name. */
export function inOrder(agents: BoardAgent[]): BoardAgent[] {
  return agents.toSorted(
    (a, b) =>
      RANK[presenceOf(a)] - RANK[presenceOf(b)] ||
      loadOf(b) - loadOf(a) ||
      a.name.localeCompare(b.name),
  )
}

/** Returns the used share of an agent's limit, from 0 to 1; 0 without a limit. */
export function loadOf({ serves, serves_max }: BoardAgent): number {
  return serves_max ? Math.min(serves / serves_max, 1) : 0
}
