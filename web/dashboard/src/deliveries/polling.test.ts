import { expect, test } from 'vitest'
import { isMasked, nextPollMs } from './polling'

const NOW = Date.parse('2026-11-16T10:00:00Z')
const waiting = (due_at: string) => ({ standing: 'waiting', due_at })

test('finished deliveries are not reloaded', () => {
  expect(nextPollMs([], NOW)).toBe(false)
  expect(nextPollMs([{ standing: 'delivered' }, { standing: 'failed' }], NOW)).toBe(false)
})

test('waiting deliveries are reloaded after their next attempt, and at least every minute', () => {
  const dues = [waiting('2026-11-16T12:00:00Z'), waiting('2026-11-16T10:00:05Z')]
  expect(nextPollMs(dues, NOW)).toBe(7_000)
  expect(nextPollMs(dues.slice(0, 1), NOW)).toBe(60_000)
})

test('overdue deliveries are reloaded less and less often, and finally not at all', () => {
  expect(nextPollMs([waiting('2026-11-16T09:59:59Z')], NOW)).toBe(2_000)
  expect(nextPollMs([waiting('2026-11-16T09:59:30Z')], NOW)).toBe(30_000)
  expect(nextPollMs([waiting('2026-11-16T09:55:00Z')], NOW)).toBe(60_000)
  expect(nextPollMs([waiting('2026-11-16T09:00:00Z')], NOW)).toBe(false)
  const both = [waiting('2026-11-16T09:00:00Z'), waiting('2026-11-16T10:00:05Z')]
  expect(nextPollMs(both, NOW)).toBe(7_000)
})

test('masked bodies are recognized', () => {
  expect(isMasked('{"sdk_key":"***"}')).toBe(true)
  expect(isMasked('{"message":"***!"}')).toBe(false)
})
