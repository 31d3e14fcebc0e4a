import { describe, expect, test } from 'vitest'
import { areTimesInOrder, changesOf } from './draft'
import { nextOf, problemOf, USUAL } from './hours/week'
import { zonesWith } from './zones'

describe('the request for changed settings', () => {
  const kept = {
    app_name: 'Shop',
    allocation: { is_on: true, per_agent_max: 5 },
    grace_s: 60 as number | null,
  }

  test('is empty if nothing changed', () => {
    expect(changesOf(kept, structuredClone(kept))).toEqual({})
  })

  test('contains changed fields only, also in nested objects', () => {
    const draft = { ...kept, allocation: { is_on: true, per_agent_max: 7 } }
    expect(changesOf(kept, draft)).toEqual({ allocation: { per_agent_max: 7 } })
  })

  test('contains null for fields that were cleared', () => {
    const draft = { ...kept, grace_s: null }
    expect(changesOf(kept, draft)).toEqual({ grace_s: null })
  })
})

test('red comes after amber', () => {
  const colours = (amber: number | null, red: number | null) =>
    areTimesInOrder({ waiting_amber_s: amber, waiting_red_s: red } as never)
  expect(colours(120, 300)).toBe(true)
  expect(colours(300, 300)).toBe(false)
  expect(colours(null, 300)).toBe(true)
})

describe('the intervals of a day', () => {
  const at = (starttime: string, endtime: string, day = 1) => ({ day, starttime, endtime })

  test('end after they start', () => {
    expect(problemOf([at('17:00', '09:00')], 1)).toBe('order')
    expect(problemOf([at('17:00', '09:00')], 2)).toBeNull()
  })

  test('do not overlap, in any order', () => {
    expect(problemOf([at('12:00', '17:00'), at('09:00', '12:30')], 1)).toBe('overlap')
    expect(problemOf([at('12:30', '17:00'), at('09:00', '12:30')], 1)).toBeNull()
  })

  test('continue after the last interval', () => {
    expect(nextOf([...USUAL], 0)).toEqual(at('09:00', '17:00', 0))
    expect(nextOf([at('09:00', '12:30')], 1)).toEqual(at('13:00', '14:00'))
    expect(problemOf([at('09:00', '12:30'), nextOf([at('09:00', '12:30')], 1)], 1)).toBeNull()
  })
})

test('a time zone that the browser does not know remains selectable', () => {
  expect(zonesWith('+07:00')).toContain('+07:00')
  expect(zonesWith('UTC').filter((zone) => zone === 'UTC')).toHaveLength(1)
})
