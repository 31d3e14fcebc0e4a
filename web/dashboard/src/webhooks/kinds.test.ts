import { expect, test } from 'vitest'
import type { Endpoint } from '../app/shapes'
import { allowCommand, byKind, isChanging, isKind, nextPollMs, pathIdOf } from './kinds'

const endpoint = (more: Partial<Endpoint>): Endpoint => ({
  id: '1',
  is_deletable: true,
  kind: 'bot',
  url: 'https://bot.example.com/hook',
  state: 'healthy',
  is_enabled: true,
  is_paused: false,
  timeout_ms: 10_000,
  at_once_max: 10,
  block_s: 900,
  waiting: 0,
  created_at: '2026-01-31T10:00:00.000000Z',
  updated_at: '2026-01-31T10:00:00.000000Z',
  ...more,
})

test('every kind is shown once, with all of its endpoints', () => {
  const buttons = [endpoint({ kind: 'custom_button' }), endpoint({ kind: 'custom_button' })]
  const groups = byKind([...buttons, endpoint({ kind: 'push' })])
  expect(groups).toHaveLength(9)
  expect(groups.find(({ kind }) => kind === 'custom_button')?.endpoints).toEqual(buttons)
  expect(groups.flatMap((group) => group.endpoints)).toHaveLength(2)
  expect(isKind('push')).toBe(false)
})

test('an endpoint is identified by its id', () => {
  expect(pathIdOf(endpoint({ id: '7' }))).toBe('7')
})

test('only failing endpoints and those with a backlog are polled', () => {
  expect(isChanging(endpoint({}))).toBe(false)
  expect(isChanging(endpoint({ waiting: 2 }))).toBe(true)
  expect(isChanging(endpoint({ state: 'failing' }))).toBe(true)
  expect(isChanging(endpoint({ state: 'paused', waiting: 2 }))).toBe(false)
})

test('the command that allows an address contains its port', () => {
  expect(allowCommand('http://hooks.lan/x')).toBe('confab serve --webhook-allow hooks.lan:80')
  expect(allowCommand('https://10.1.2.3:8443/x')).toBe('confab serve --webhook-allow 10.1.2.3:8443')
  expect(allowCommand('hooks.lan')).toBeNull()
})

test('endpoints that fail for long are polled rarely, and idle ones never', () => {
  const now = Date.parse('2026-01-31T11:00:00Z')
  const failing = (failing_since: string) => endpoint({ state: 'failing', failing_since })
  expect(nextPollMs([endpoint({}), endpoint({ state: 'paused', waiting: 3 })], now)).toBe(false)
  expect(nextPollMs([failing('2026-01-31T10:59:50Z')], now)).toBe(10_000)
  expect(nextPollMs([failing('2026-01-31T10:56:00Z')], now)).toBe(60_000)
  expect(nextPollMs([failing('2026-01-31T10:00:00Z')], now)).toBe(120_000)
  const both = [failing('2026-01-31T10:00:00Z'), endpoint({ waiting: 1 })]
  expect(nextPollMs(both, now)).toBe(10_000)
})
