import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Me, Row } from '../app/shapes'
import { applyRow, withInserted, withRecentRows } from '../live/rows'
import { filtersOf, isFiltered, matchesFilters, NO_FILTERS, searchOf } from './filters'
import { frozenRows, snapshotOf } from './rows/frozen_list'
import { NONE_PICKED, withToggled } from './rows/picking'
import { roomsKey } from './useRooms'
import { queryOf, type View } from './views'

const me = { user: { id: 2 } } as Me

function row(room_id: string, more: Partial<Row> = {}): Row {
  const agents: Row['agents'] = []
  const [is_resolved, is_handled_by_bot] = [false, false]
  return {
    room_id,
    name: `Customer ${room_id}`,
    user_id: room_id,
    agents,
    is_resolved,
    is_handled_by_bot,
    last_comment_id: '1',
    version: 0,
    updated_at: `2026-11-16T09:00:00.${String(more.version ?? 0).padStart(6, '0')}Z`,
    id: Number(room_id),
    ...more,
  } as Row
}

/** Creates a query cache with one loaded list, and a function that applies room frames to it. */
function lists(view: View, rows: Row[], filters = NO_FILTERS) {
  const queries = new QueryClient()
  const page = { data: { customer_rooms: rows }, meta: { per_page: 50 } }
  queries.setQueryData(roomsKey(view, filters), { pages: [page], pageParams: [undefined] })
  const ids = () => {
    const now = queries.getQueryData<{ pages: (typeof page)[] }>(roomsKey(view, filters))
    return now?.pages.flatMap((it) => it.data.customer_rooms).map((it) => it.room_id)
  }
  // Frames are newer than the loaded rows, unless the test sets a version.
  const applyFrame = (it: Row) => {
    const row = { ...it, version: it.version || 1 }
    applyRow(queries, me, { type: 'room', data: { row } })
  }
  return { queries, ids, applyFrame }
}

test('filters survive a round trip through the URL, and invalid values are ignored', () => {
  const said = '?channel=3&tag=vip&agent=7&q=ana&sort=waiting'
  expect(searchOf(filtersOf(said))).toBe(said)
  expect(searchOf(filtersOf('?channel=-1&agent=x&sort=luck&other=1'))).toBe('')
  expect(isFiltered(filtersOf('?sort=waiting'))).toBe(false)
  expect(isFiltered(filtersOf('?q=ana'))).toBe(true)
})

test("the server's query contains the filters of the URL", () => {
  const query = queryOf('mine', me, filtersOf('?channel=3&q=%20ana%20&sort=waiting'))
  expect(query).toMatchObject({ agent: 2, channels: '[{"channel_id":3}]', text: 'ana' })
  expect(query.sort).toBe('waiting')
  expect(queryOf('all', me, NO_FILTERS)).toEqual({ status: 'unresolved', limit: 50 })
})

test('a conversation matches filters by its channel, tags, agents and names', () => {
  const ana = row('5', {
    name: 'Ana',
    channel_id: 3,
    tags: [{ id: 1, name: 'vip', colour: null }],
    agents: [{ id: 7, name: 'Sari' }],
  })
  for (const search of ['', '?channel=3', '?tag=vip', '?agent=7', '?q=AN', '?q=5']) {
    expect(matchesFilters(filtersOf(search), ana), search).toBe(true)
  }
  for (const search of ['?channel=4', '?tag=VIP', '?agent=8', '?q=budi']) {
    expect(matchesFilters(filtersOf(search), ana), search).toBe(false)
  }
})

test('a changed row moves to the top of its lists, or out of them', () => {
  const { ids, applyFrame } = lists('unassigned', [row('1'), row('2'), row('3')])
  applyFrame(row('3'))
  expect(ids()).toEqual(['3', '1', '2'])
  applyFrame(row('1', { agents: [{ id: 9, name: 'Budi' }] }))
  expect(ids()).toEqual(['3', '2'])
  applyFrame(row('4'))
  expect(ids()).toEqual(['4', '3', '2'])
})

test('an older row never replaces a newer one', () => {
  const { ids, applyFrame, queries } = lists('unassigned', [row('1'), row('2')])
  applyFrame(row('2', { version: 8, is_resolved: true }))
  applyFrame(row('2', { version: 7 }))
  expect(ids()).toEqual(['1'])
  expect(queries.getQueryData<Row>(['live', 'room', '2'])?.version).toBe(8)
})

test('a filtered list gets matching rows only', () => {
  const { ids, applyFrame } = lists('all', [row('1', { channel_id: 3 })], filtersOf('?channel=3'))
  applyFrame(row('2', { channel_id: 4 }))
  applyFrame(row('3', { channel_id: 3 }))
  expect(ids()).toEqual(['3', '1'])
})

test('the longest waiting customer is first if the list is sorted by waiting time', () => {
  const since = (minute: number) => ({ waiting_since: `2026-01-01T00:0${minute}:00Z` })
  const others = [row('1', since(1)), row('3', since(3)), row('9')]
  const ids = (it: Row) =>
    withInserted(others, it, filtersOf('?sort=waiting')).map(({ room_id }) => room_id)
  expect(ids(row('2', since(2)))).toEqual(['1', '2', '3', '9'])
  expect(ids(row('4', since(4)))).toEqual(['1', '3', '4', '9'])
  expect(ids(row('5'))).toEqual(['1', '3', '5', '9'])
})

test('the last updated row is first, and a changed tag moves no row', () => {
  const at = (second: number) => `2026-11-16T09:00:0${second}.000000Z`
  const [ana, bo, cy] = [3, 2, 1].map((second) =>
    row(String(second), { updated_at: at(second), version: 1 }),
  ) as [Row, Row, Row]
  const ids = (it: Row) => {
    const others = [ana, bo, cy].filter(({ room_id }) => room_id !== it.room_id)
    return withInserted(others, it, NO_FILTERS).map(({ room_id }) => room_id)
  }
  expect(ids({ ...cy, version: 2, updated_at: at(4) })).toEqual(['1', '3', '2'])
  expect(ids({ ...bo, version: 2 })).toEqual(['3', '2', '1'])
  expect(ids({ ...cy, version: 2 })).toEqual(['3', '2', '1'])
})

test('no row moves under the pointer, and new rows are counted', () => {
  const before = [row('1'), row('2'), row('3')]
  const standing = snapshotOf(before)
  const said = row('3', { last_comment_id: '2', last_comment_text: 'Hello?' })
  const now = [row('4'), said, row('1')]
  const { rows, news } = frozenRows(now, standing, before, new Set())
  expect(rows.map((it) => it.room_id)).toEqual(['1', '2', '3'])
  expect(rows[2]?.last_comment_text).toBe('Hello?')
  expect(news).toBe(2)
})

test('a frozen list loses rows that the agent removed, and keeps those that others removed', () => {
  const before = [row('1'), row('2'), row('3')]
  const { rows } = frozenRows([row('1')], snapshotOf(before), before, new Set(['1', '2']))
  expect(rows.map((it) => it.room_id)).toEqual(['1', '3'])
})

test('pages loaded below a frozen list are shown', () => {
  const before = [row('1'), row('2')]
  const { rows, more, news } = frozenRows(
    [...before, row('3')],
    snapshotOf(before),
    before,
    new Set(),
  )
  expect(rows.map((it) => it.room_id)).toEqual(['1', '2', '3'])
  expect(more).toHaveLength(1)
  expect(news).toBe(0)
})

test('frames that arrive while a list is loading are applied to it', () => {
  const { queries, applyFrame } = lists('unassigned', [])
  const begun = performance.now()
  const rooms = (rows: Row[], since = begun) =>
    withRecentRows(rows, since, me, 'unassigned', NO_FILTERS).map((it) => it.room_id)
  applyFrame(row('new', { version: 2 }))
  applyFrame(row('newer', { version: 3 }))
  applyFrame(row('taken', { agents: [{ id: 7, name: 'Sari' }] as Row['agents'] }))
  applyRow(queries, me, { type: 'room_gone', data: { room_id: 'gone' } })
  expect(rooms([row('gone'), row('taken'), row('old')])).toEqual(['newer', 'new', 'old'])
  const later = performance.now() + 1
  expect(rooms([row('gone'), row('old')], later)).toEqual(['gone', 'old'])
  expect(rooms([row('old'), row('newer', { version: 4 })])).toEqual(['new', 'old', 'newer'])
})

test('a row that was only marked as seen keeps its position', () => {
  const { ids, applyFrame } = lists('all', [row('1', { version: 5 }), row('2', { version: 3 })])
  applyFrame(row('2', { version: 3, is_seen: true }))
  expect(ids()).toEqual(['1', '2'])
  applyFrame(row('2', { version: 6 }))
  expect(ids()).toEqual(['2', '1'])
})

test('rows are picked and unpicked one by one or as a range', () => {
  const rows = ['1', '2', '3', '4'].map((room) => row(room))
  const one = withToggled(rows, NONE_PICKED, 1)
  expect([...one]).toEqual([['2', 'Customer 2']])
  const three = withToggled(rows, one, 3, 1)
  expect([...three.keys()]).toEqual(['2', '3', '4'])
  expect([...withToggled(rows, three, 1, 2).keys()]).toEqual(['4'])
  expect(withToggled(rows, one, 9)).toBe(one)
})
