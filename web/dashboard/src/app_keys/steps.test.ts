import { expect, test } from 'vitest'
import { phaseOf, runningChange, STEPS, stepStateOf } from './steps'

const staged = { step: 'staged', since: '2026-11-16T10:00:00Z' } as const
const promoted = { step: 'promoted', ends_at: '2026-11-23T10:00:00Z' } as const

test('the steps become available one after the other', () => {
  const states = (change: Parameters<typeof stepStateOf>[1]) =>
    STEPS.map((step) => stepStateOf(step, change))
  expect(states(null)).toEqual(['now', 'later', 'later'])
  expect(states(staged)).toEqual(['done', 'now', 'later'])
  expect(states(promoted)).toEqual(['done', 'done', 'now'])
})

test('a rotation is complete when the old key has expired', () => {
  const end = Date.parse(promoted.ends_at)
  expect(runningChange(promoted, end - 1)).toBe(promoted)
  expect(runningChange(promoted, end)).toBeNull()
  expect(runningChange(staged, end)).toBe(staged)
  expect(runningChange(null, end)).toBeNull()
})

test('receivers get no instructions without a rotation', () => {
  expect(phaseOf(null)).toBe('before')
  expect(phaseOf(promoted)).toBe('promoted')
})
