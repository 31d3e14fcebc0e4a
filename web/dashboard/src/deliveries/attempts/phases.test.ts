import { expect, test } from 'vitest'
import { barsOf, displayTime, longestUs, positionOf, totalUs } from './phases'

const FIRST = { name: 400, connect: 600, tls: 3_000, head: 5_000, body: 1_000 }
const KEPT = { name: null, connect: null, tls: null, head: 2_000, body: 500 }

test('phases follow each other, and those that were not reached are left out', () => {
  expect(barsOf(FIRST).map(({ phase, startUs }) => [phase, startUs])).toEqual([
    ['name', 0],
    ['connect', 400],
    ['tls', 1_000],
    ['head', 4_000],
    ['body', 9_000],
  ])
  expect(barsOf(KEPT).map(({ phase }) => phase)).toEqual(['head', 'body'])
  expect(barsOf({})).toEqual([])
  expect(totalUs(FIRST)).toBe(10_000)
})

test('the longest attempt is the scale of all', () => {
  expect(longestUs([KEPT, FIRST])).toBe(10_000)
  expect(longestUs([])).toBe(1)
  const [, , , head] = barsOf(FIRST)
  expect(head && positionOf(head, 10_000)).toEqual({ x: 400, width: 500 })
})

test('every nonzero duration has a visible bar within the picture', () => {
  const tiny = positionOf({ phase: 'body', startUs: 999_999, us: 1 }, 1_000_000)
  expect(tiny).toEqual({ x: 996, width: 4 })
  expect(positionOf({ phase: 'name', startUs: 0, us: 0 }, 10).width).toBe(0)
})

test('durations are shown in milliseconds or seconds', () => {
  expect(displayTime(420)).toEqual({ unit: 'ms', amount: 0.42 })
  expect(displayTime(12_345)).toEqual({ unit: 'ms', amount: 12 })
  expect(displayTime(10_004_000)).toEqual({ unit: 's', amount: 10 })
})
