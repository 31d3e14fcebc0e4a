import { expect, test } from 'vitest'
import { compareIds, Thread, type ThreadMessage } from './thread'

interface Message extends ThreadMessage {
  message: string
}

const posted = (id: string, message = `m${id}`, is_deleted = false): Message => ({
  id_str: id,
  unique_temp_id: `u${id}`,
  message,
  is_deleted,
})
const empty = () => Thread.empty<Message, { unique_temp_id: string }>()
const shown = (thread: ReturnType<typeof empty>) => thread.entries().map((entry) => entry.key)

test('ids are compared as numbers of any length', () => {
  expect(['10', '9', '371000000000000001', '371000000000000000'].sort(compareIds)).toEqual([
    '9',
    '10',
    '371000000000000000',
    '371000000000000001',
  ])
})

test('pages, frames and responses merge into one entry per message', () => {
  const thread = empty()
    .withPending([{ unique_temp_id: 'u3' }])
    .merge([posted('2'), posted('1')])
    .merge([posted('3')])
    .merge([posted('3'), posted('2')])
  expect(shown(thread)).toEqual(['u1', 'u2', 'u3'])
  expect(thread.entries()[2]?.message?.message).toBe('m3')
})

test('unsent items come last, in the order in which they were written', () => {
  const thread = empty()
    .merge([posted('5')])
    .withPending([{ unique_temp_id: 'b' }, { unique_temp_id: 'a' }])
  expect(shown(thread)).toEqual(['u5', 'b', 'a'])
})

test('a deleted message stays deleted when an old page is merged', () => {
  const thread = empty().merge([posted('1'), posted('2')])
  const trace = (message: Message) => ({ ...message, message: '', is_deleted: true })
  const after = thread.delete(['u1', 'unknown'], trace).merge([posted('1')])
  expect(after.get('u1')).toEqual(posted('1', '', true))
  expect(shown(thread.delete(['u1'], () => null))).toEqual(['u2'])
  expect(thread.get('u1')?.message).toBe('m1')
})

test('an edited message replaces the original', () => {
  expect(
    empty()
      .merge([posted('1')])
      .merge([posted('1', 'better')])
      .get('u1')?.message,
  ).toBe('better')
})

test('the oldest and newest ids are those of the loaded messages', () => {
  const thread = empty().merge([posted('10'), posted('9'), posted('11')])
  expect([thread.oldestId, thread.newestId]).toEqual(['9', '11'])
  expect(empty().newestId).toBeUndefined()
})
