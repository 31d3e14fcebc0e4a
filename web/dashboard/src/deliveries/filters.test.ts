import { expect, test } from 'vitest'
import { apiQueryOf, filtersOf, NO_FILTERS, replayQueryOf, searchOf } from './filters'

test('filters survive a round trip through the URL', () => {
  const filters = { ...NO_FILTERS, kind: 'bot', standing: 'failed' as const, room: '55' }
  expect(searchOf(filters)).toBe('?kind=bot&standing=failed&room=55')
  expect(filtersOf(searchOf(filters))).toEqual(filters)
  expect(searchOf(NO_FILTERS)).toBe('')
})

test('invalid values are ignored', () => {
  const search = '?kind=<b>&standing=dead&error=nope&room=-1&from=yesterday&endpoint=a/b'
  expect(filtersOf(search)).toEqual(NO_FILTERS)
})

test('local times are converted to UTC', () => {
  const wanted = apiQueryOf({ ...NO_FILTERS, from: '2026-11-16T10:00', room: '55' })
  expect(wanted).toEqual({ room_id: '55', from: new Date('2026-11-16T10:00').toISOString() })
  expect(apiQueryOf({ ...NO_FILTERS, until: '2026-99-99T10:00' })).toEqual({})
})

test('only failures are replayed unless a state is chosen', () => {
  expect(replayQueryOf(NO_FILTERS)).toEqual({ standing: 'failed' })
  expect(replayQueryOf({ ...NO_FILTERS, standing: 'parked' })).toEqual({ standing: 'parked' })
})
