import { expect, test } from 'vitest'
import type { Comment, PageMeta } from '../../../app/shapes'
import {
  beginning,
  changeOf,
  onlyPage,
  type Reading,
  startOfNewest,
  withPageAfter,
  withPageBefore,
} from './reading'

const ROOM = '55'

function comment(id: number, email = 'agent', more: Partial<Comment> = {}): Comment {
  return {
    id,
    id_str: String(id),
    unique_temp_id: `u${id}`,
    room_id_str: ROOM,
    email,
    user_extras: { is_customer: email === 'ana' },
    message: `m${id}`,
    status: 'sent',
    is_deleted: false,
    ...more,
  } as Comment
}

function page(ids: number[], before: string | null, after: string | null) {
  const meta: PageMeta = { before, after, per_page: 50, total_count: null }
  return { data: { comments: ids.map((id) => comment(id)) }, meta }
}

const shown = (reading: Reading) => reading.thread.entries().map((entry) => entry.message?.id)

function after(reading: Reading, type: string, data: unknown): Reading {
  return changeOf({ type, data }, ROOM)?.(reading) ?? reading
}

test('new messages are skipped until the end of the conversation is loaded', () => {
  const around = onlyPage(page([5, 6], '5', '6'))
  const waiting = after(around, 'message', comment(9))
  expect([shown(waiting), waiting.missed.size]).toEqual([[5, 6], 1])
  const whole = withPageAfter(waiting, page([7, 8, 9], null, null), '6')
  expect([shown(whole), whole.missed.size, whole.hasNewest]).toEqual([[5, 6, 7, 8, 9], 0, true])
  expect(shown(after(whole, 'message', comment(10)))).toEqual([5, 6, 7, 8, 9, 10])
  // The frame may be applied again after a page that was loading.
  expect(after(waiting, 'message', comment(9)).missed.size).toBe(1)
})

test('a page replaces the loaded messages in its range, and no others', () => {
  const reading = onlyPage(page([1, 2, 3, 4, 5], null, null))
  const middle = withPageAfter(reading, page([4], '4', '4'), '2')
  expect(shown(middle)).toEqual([1, 2, 4, 5])
  expect(shown(withPageAfter(reading, page([4, 6], '4', null), '3'))).toEqual([1, 2, 3, 4, 6])
  expect(shown(withPageAfter(reading, page([], null, null), '3'))).toEqual([1, 2, 3])
})

test('the newest messages start after an id that no message has', () => {
  const reading = onlyPage(page([9, 12, 371000000000], null, null))
  const start = (count: number) => startOfNewest(reading, count)
  expect([start(1), start(2), start(50)]).toEqual(['370999999999', '11', '8'])
  expect(startOfNewest(beginning(), 2)).toBeUndefined()
})

test('loading an older page updates hasOldest only', () => {
  const around = onlyPage(page([5, 6], '5', '6'))
  const older = withPageBefore(around, page([1, 2], null, '2'))
  expect([older.thread.hasOldest, older.hasNewest]).toEqual([true, false])
})

test('frames of other rooms change nothing', () => {
  expect(
    changeOf({ type: 'message', data: comment(1, 'ana', { room_id_str: '56' }) }, ROOM),
  ).toBeNull()
  expect(changeOf({ type: 'typing', data: { room_id: ROOM } }, ROOM)).toBeNull()
})

test("the customer's receipts raise earlier messages, receipts of agents are ignored", () => {
  const begun = onlyPage(page([2, 3], null, null))
  const reading = after(begun, 'message', comment(1, 'ana'))
  const statuses = (reading: Reading) =>
    reading.thread.entries().map((entry) => entry.message?.status)
  const read = after(reading, 'read', { room_id: ROOM, user_id: 'ana', comment_id: '2' })
  expect(statuses(read)).toEqual(['sent', 'read', 'sent'])
  const colleague = { room_id: ROOM, user_id: 'budi', comment_id: '3' }
  expect(statuses(after(reading, 'read', colleague))).toEqual(['sent', 'sent', 'sent'])
  const late = { room_id: ROOM, user_id: 'ana', comment_id: '3' }
  expect(statuses(after(read, 'delivered', late))).toEqual(['sent', 'read', 'delivered'])
})

test('an older page or an edit never replaces a newer channel state', () => {
  const reading = onlyPage(page([1, 2], null, null))
  const status = (state: string, at: string) => ({ state, at, code: null, reason: null })
  const stateFrame = (comment_id: string, state: string, at: string) => ({
    room_id: ROOM,
    comment_id,
    channel_status: status(state, at),
  })
  const states = (reading: Reading) =>
    reading.thread.entries().map((entry) => entry.message?.channel_status?.state)
  const failed = after(reading, 'channel_status', stateFrame('2', 'failed', '2026-11-17T10:00:02Z'))
  expect(states(failed)).toEqual([undefined, 'failed'])
  expect(after(failed, 'channel_status', stateFrame('9', 'sent', '2026-11-17T10:00:03Z'))).toBe(
    failed,
  )
  // Neither an edit nor an older page overwrites a newer state.
  const corrected = after(failed, 'message_updated', comment(2, 'agent', { message: 'better' }))
  expect(states(corrected)).toEqual([undefined, 'failed'])
  const older = comment(2, 'agent', { channel_status: status('sent', '2026-11-17T10:00:01Z') })
  const late = { ...page([1], null, null), data: { comments: [older] } }
  expect(states(withPageAfter(failed, late, '1'))).toEqual([undefined, 'failed'])
  const newer = comment(2, 'agent', { channel_status: status('read', '2026-11-17T10:00:04Z') })
  const read = { ...page([1], null, null), data: { comments: [newer] } }
  expect(states(withPageAfter(failed, read, '1'))).toEqual([undefined, 'read'])
})

test('an edited message is marked, and a deleted one leaves a placeholder', () => {
  const reading = onlyPage(page([1, 2], null, null))
  const corrected = after(reading, 'message_updated', comment(1, 'agent', { message: 'better' }))
  expect(corrected.edited.has('u1')).toBe(true)
  const gone = { room_id: ROOM, unique_ids: ['u1'], is_hard_delete: false }
  expect(after(corrected, 'messages_deleted', gone).thread.get('u1')).toMatchObject({
    message: '',
    is_deleted: true,
  })
  const forGood = after(corrected, 'messages_deleted', { ...gone, is_hard_delete: true })
  expect(shown(forGood)).toEqual([2])
})
