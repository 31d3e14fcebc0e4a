import { describe, expect, test } from 'vitest'
import { areColoursInOrder, changesOf } from './draft'
import { nextOf, problemOf, USUAL } from './hours/week'
import { zonesWith } from './zones'

describe('what is sent of changed settings', () => {
  const kept = {
    app_name: 'Shop',
    allocation: { is_on: true, per_agent_max: 5 },
    grace_s: 60 as number | null,
  }

  test('is nothing if nothing differs', () => {
    expect(changesOf(kept, structuredClone(kept))).toEqual({})
  })

  test('is what differs, also within a group', () => {
    const draft = { ...kept, allocation: { is_on: true, per_agent_max: 7 } }
    expect(changesOf(kept, draft)).toEqual({ allocation: { per_agent_max: 7 } })
  })

  test('is null for what is switched off', () => {
    const draft = { ...kept, grace_s: null }
    expect(changesOf(kept, draft)).toEqual({ grace_s: null })
  })
})

test('red comes after amber', () => {
  const colours = (amber: number | null, red: number | null) =>
    areColoursInOrder({ waiting_amber_s: amber, waiting_red_s: red } as never)
  expect(colours(120, 300)).toBe(true)
  expect(colours(300, 300)).toBe(false)
  expect(colours(null, 300)).toBe(true)
})

describe('the hours of a day', () => {
  const at = (starttime: string, endtime: string, day = 1) => ({ day, starttime, endtime })

  test('end after they begin', () => {
    expect(problemOf([at('17:00', '09:00')], 1)).toBe('order')
    expect(problemOf([at('17:00', '09:00')], 2)).toBeNull()
  })

  test('do not overlap, in whichever order they stand', () => {
    expect(problemOf([at('12:00', '17:00'), at('09:00', '12:30')], 1)).toBe('overlap')
    expect(problemOf([at('12:30', '17:00'), at('09:00', '12:30')], 1)).toBeNull()
  })

  test('go on after the last ones', () => {
    expect(nextOf([...USUAL], 0)).toEqual(at('09:00', '17:00', 0))
    expect(nextOf([at('09:00', '12:30')], 1)).toEqual(at('13:00', '14:00'))
    expect(problemOf([at('09:00', '12:30'), nextOf([at('09:00', '12:30')], 1)], 1)).toBeNull()
  })
})

test('a time zone that the browser does not know can stay', () => {
  expect(zonesWith('+07:00')).toContain('+07:00')
  expect(zonesWith('UTC').filter((zone) => zone === 'UTC')).toHaveLength(1)
})
