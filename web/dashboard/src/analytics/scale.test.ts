import { expect, test } from 'vitest'
import { queryOf } from './query'
import { barOf, linesOf, roundUp, topOf } from './scale'

test('the axis ends at a round number', () => {
  expect([0, 1, 3, 7, 10, 11, 140, 1001].map(roundUp)).toEqual([1, 1, 5, 10, 10, 20, 200, 2000])
  expect(topOf([null, 3, undefined])).toBe(5)
  expect(topOf([])).toBe(1)
})

test('bars of a group are next to each other and start at zero', () => {
  expect(barOf(5, 10, 0, 0, 10, 2)).toEqual({ x: 10, y: 100, width: 40, height: 100 })
  expect(barOf(10, 10, 1, 1, 10, 2)).toEqual({ x: 150, y: 0, width: 40, height: 200 })
  expect(barOf(0, 10, 0, 0, 10, 2).height).toBe(0)
})

test('a line has a gap where a value is unknown', () => {
  expect(linesOf([5, 10, null, 0], 10)).toEqual(['125,100 375,0', '875,200'])
  expect(linesOf([], 10)).toEqual([])
})

test('invalid values in the URL are ignored', () => {
  const search = '?from=2026-11-01&until=soon&by=hour&channel=2&agent=x'
  expect(queryOf(search)).toEqual({
    from: '2026-11-01',
    until: '',
    by: 'hour',
    channel: '2',
    agent: '',
  })
})
