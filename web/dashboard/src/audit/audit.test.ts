import { describe, expect, test } from 'vitest'
import { actionsOf, isAction, SUBJECT_NAMES } from './actions'
import { differencesOf } from './differences'
import { filtersOf, isFiltered, queryOf, searchOf } from './filters'

describe('the filters of the audit log', () => {
  const some = { actor: 2, what: 'agent.created', from: '2026-11-01', until: '2026-11-16' }
  const all = { actor: null, what: '', from: '', until: '' }

  test('survive a round trip through the URL', () => {
    expect(filtersOf(searchOf(some))).toEqual(some)
    expect(searchOf(all)).toBe('')
    expect(isFiltered(some)).toBe(true)
    expect(isFiltered(all)).toBe(false)
  })

  test('ignore invalid values', () => {
    expect(filtersOf('?actor=me&what=a.b&from=2026-13-40&until=yesterday')).toEqual(all)
  })

  test('accept a subject as well as an action', () => {
    expect(filtersOf('?what=agent').what).toBe('agent')
  })

  test("include the whole last day, in the browser's time zone", () => {
    const { from, until } = queryOf({ ...all, from: '2026-11-16', until: '2026-11-16' })
    expect(Date.parse(until ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1000)
    expect(new Date(from ?? '').getHours()).toBe(0)
  })
})

test('values before and after a change are listed by field', () => {
  const entry = {
    before: { name: 'Ana', role: 'agent', cap: null },
    after: { name: 'Ana Lopez', channels: [1, 2] },
  }
  expect(differencesOf(entry as never)).toEqual([
    { name: 'name', before: 'Ana', after: 'Ana Lopez' },
    { name: 'role', before: 'agent', after: null },
    { name: 'cap', before: null, after: null },
    { name: 'channels', before: null, after: '[1,2]' },
  ])
  expect(differencesOf({ before: null, after: null } as never)).toEqual([])
})

test('an action consists of a subject and a verb', () => {
  expect(SUBJECT_NAMES.flatMap(actionsOf).every(isAction)).toBe(true)
  expect(isAction('agent')).toBe(false)
  expect(isAction('settings.created')).toBe(false)
})
