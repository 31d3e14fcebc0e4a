import { expect, test } from 'vitest'
import { phaseOf, STEPS, standingOf, underWay } from './steps'

const staged = { step: 'staged', since: '2026-11-16T10:00:00Z' } as const
const promoted = { step: 'promoted', ends_at: '2026-11-23T10:00:00Z' } as const

test('the steps become available one after the other', () => {
  const standings = (change: Parameters<typeof standingOf>[1]) =>
    STEPS.map((step) => standingOf(step, change))
  expect(standings(null)).toEqual(['now', 'later', 'later'])
  expect(standings(staged)).toEqual(['done', 'now', 'later'])
  expect(standings(promoted)).toEqual(['done', 'done', 'now'])
})

test('a rotation is complete when the old key has expired', () => {
  const end = Date.parse(promoted.ends_at)
  expect(underWay(promoted, end - 1)).toBe(promoted)
  expect(underWay(promoted, end)).toBeNull()
  expect(underWay(staged, end)).toBe(staged)
  expect(underWay(null, end)).toBeNull()
})

test('receivers get no instructions without a rotation', () => {
  expect(phaseOf(null)).toBe('before')
  expect(phaseOf(promoted)).toBe('promoted')
})
