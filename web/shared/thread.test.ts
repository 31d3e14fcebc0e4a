import { expect, test } from 'vitest'
import { compareIds, Thread, type ThreadMessage } from './thread'

interface Message extends ThreadMessage {
  message: string
}

const said = (id: string, message = `m${id}`, is_deleted = false): Message => ({
  id_str: id,
  unique_temp_id: `u${id}`,
  message,
  is_deleted,
})
const empty = () => Thread.empty<Message, { unique_temp_id: string }>()
const shown = (thread: ReturnType<typeof empty>) => thread.entries().map((entry) => entry.key)

test('ids are ordered as numbers, however long they are', () => {
  expect(['10', '9', '371000000000000001', '371000000000000000'].sort(compareIds)).toEqual([
    '9',
    '10',
    '371000000000000000',
    '371000000000000001',
  ])
})

test('pages, frames and answers merge into one entry', () => {
  const thread = empty()
    .withPending([{ unique_temp_id: 'u3' }])
    .merge([said('2'), said('1')])
    .merge([said('3')])
    .merge([said('3'), said('2')])
  expect(shown(thread)).toEqual(['u1', 'u2', 'u3'])
  expect(thread.entries()[2]?.message?.message).toBe('m3')
})

test('what waits stands last, in the order in which it was written', () => {
  const thread = empty()
    .merge([said('5')])
    .withPending([{ unique_temp_id: 'b' }, { unique_temp_id: 'a' }])
  expect(shown(thread)).toEqual(['u5', 'b', 'a'])
})

test('a deleted message leaves a trace, and an old page does not bring it back', () => {
  const thread = empty().merge([said('1'), said('2')])
  const trace = (message: Message) => ({ ...message, message: '', is_deleted: true })
  const after = thread.delete(['u1', 'unknown'], trace).merge([said('1')])
  expect(after.get('u1')).toEqual(said('1', '', true))
  expect(shown(thread.delete(['u1'], () => null))).toEqual(['u2'])
  expect(thread.get('u1')?.message).toBe('m1')
})

test('a correction replaces what was said', () => {
  expect(
    empty()
      .merge([said('1')])
      .merge([said('1', 'better')])
      .get('u1')?.message,
  ).toBe('better')
})

test('the edges are those of what is known', () => {
  const thread = empty().merge([said('10'), said('9'), said('11')])
  expect([thread.oldestId, thread.newestId]).toEqual(['9', '11'])
  expect(empty().newestId).toBeUndefined()
})
