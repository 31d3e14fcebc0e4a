import { expect, test } from 'vitest'
import type { Board, BoardAgent } from '../app/shapes'
import { boardAfter, inOrder, loadOf, presenceOf } from './board'

const agent = (id: number, name: string, more: Partial<BoardAgent> = {}): BoardAgent => ({
  id,
  name,
  role: 'agent',
  is_available: true,
  force_offline: false,
  serves: 0,
  serves_max: 10,
  divisions: [],
  ...more,
})

const BOARD: Board = {
  queue: { waiting: 1, bot: 0, open: 3, longest_wait_since: null },
  agents: [agent(1, 'Ana'), agent(2, 'Sari')],
  channels: [],
}

test('frames change the queue and the agents only', () => {
  const data = { mine: 0, unassigned: 9, bot: 2, open: 14, resolved: 0, longest_wait_since: 'then' }
  const after = boardAfter(BOARD, { type: 'counts', data })
  expect(after.queue).toEqual({ waiting: 9, bot: 2, open: 14, longest_wait_since: 'then' })
  const frame = { id: 2, is_available: false, force_offline: true, serves: 4 }
  const [ana, sari] = boardAfter(BOARD, { type: 'agent', data: frame }).agents
  expect(ana).toBe(BOARD.agents[0])
  expect(sari).toMatchObject({ name: 'Sari', force_offline: true, serves: 4, serves_max: 10 })
  expect(boardAfter(BOARD, { type: 'room', data: {} })).toBe(BOARD)
})

test('available agents are first, the busiest before the others', () => {
  const forced = agent(1, 'Adi', { force_offline: true })
  const away = agent(2, 'Budi', { is_available: false })
  const idle = agent(3, 'Citra')
  const busy = agent(4, 'Dian', { serves: 5 })
  expect(inOrder([forced, away, idle, busy])).toEqual([busy, idle, away, forced])
  expect([busy, away, forced].map(presenceOf)).toEqual(['there', 'away', 'forced'])
})

test('a load is at most 1, and 0 without a limit', () => {
  expect(loadOf(agent(1, 'Ana', { serves: 12 }))).toBe(1)
  expect(loadOf(agent(1, 'Ana', { serves: 12, serves_max: null }))).toBe(0)
})
