import { afterEach, expect, test, vi } from 'vitest'
import { CallError } from './call'
import { Outbox, type OutboxItem } from './outbox'
import { MemoryStore } from './outbox_store'

afterEach(() => vi.useRealTimers())

function outbox(send: (item: OutboxItem) => Promise<void>, store = new MemoryStore(), owner = '1') {
  let items: readonly OutboxItem[] = []
  const box = new Outbox({
    owner,
    store,
    send,
    onChange: (changed) => {
      items = changed
    },
  })
  return { box, store, shown: () => items.map((it) => it.unique_temp_id), items: () => items }
}

test('messages of a room are sent one after another in the order they were written', async () => {
  const sent: string[] = []
  const { box, shown } = outbox(async (item) => {
    sent.push(item.unique_temp_id)
  })
  await box.start()
  await Promise.all([box.add('55', 'a', {}), box.add('55', 'b', {}), box.add('55', 'c', {})])
  await vi.waitFor(() => expect(shown()).toEqual([]))
  expect(sent).toEqual(['a', 'b', 'c'])
})

test('an item without a response is sent again with its id before later items of the room', async () => {
  vi.useFakeTimers()
  const tries: string[] = []
  let isThere = false
  const { box, shown } = outbox(async (item) => {
    tries.push(item.unique_temp_id)
    if (!isThere) throw new CallError(0, 'no answer')
  })
  await box.start()
  await box.add('55', 'a', {})
  await box.add('55', 'b', {})
  await vi.advanceTimersByTimeAsync(0)
  expect(tries).toEqual(['a'])
  isThere = true
  await vi.advanceTimersByTimeAsync(1000)
  expect(tries).toEqual(['a', 'a', 'b'])
  expect(shown()).toEqual([])
})

test('only items that fail to be sent are flushed to disk', async () => {
  const settled: string[] = []
  class Settling extends MemoryStore {
    async settle(uniqueId: string) {
      settled.push(uniqueId)
    }
  }
  const { box, shown } = outbox(async (item) => {
    if (item.unique_temp_id === 'a') throw new CallError(0, 'no answer')
  }, new Settling())
  await box.start()
  await Promise.all([box.add('55', 'a', {}), box.add('56', 'b', {})])
  await vi.waitFor(() => expect([settled, shown()]).toEqual([['a'], ['a']]))
  box.stop()
})

test('a rejected item shows the reason and does not block its room', async () => {
  const { box, items } = outbox(async (item) => {
    if (item.unique_temp_id === 'a') throw new CallError(403, 'The conversation is resolved.')
  })
  await box.start()
  await box.add('55', 'a', {})
  await box.add('55', 'b', {})
  await vi.waitFor(() => expect(items().map((it) => it.unique_temp_id)).toEqual(['a']))
  expect(items()[0]?.refused).toBe('The conversation is resolved.')
})

test('a failing item does not block other rooms', async () => {
  const sent: string[] = []
  const { box } = outbox(async (item) => {
    if (item.room_id === '55') throw new CallError(503, 'later')
    sent.push(item.unique_temp_id)
  })
  await box.start()
  await box.add('55', 'a', {})
  await box.add('56', 'b', {})
  await vi.waitFor(() => expect(sent).toEqual(['b']))
  box.stop()
})

test('items left from a previous page are sent by their author only', async () => {
  const store = new MemoryStore()
  const first = outbox(async () => {
    throw new CallError(0, 'no answer')
  }, store)
  await first.box.start()
  await first.box.add('55', 'a', { message: 'hello' })
  first.box.stop()
  const sent: OutboxItem[] = []
  const stranger = outbox(
    async (item) => {
      sent.push(item)
    },
    store,
    '2',
  )
  await stranger.box.start()
  expect(stranger.shown()).toEqual([])
  const again = outbox(async (item) => {
    sent.push(item)
  }, store)
  await again.box.start()
  await vi.waitFor(() => expect(again.shown()).toEqual([]))
  expect(sent.map((it) => it.body)).toEqual([{ message: 'hello' }])
})

test('a rejected item can be retried or discarded', async () => {
  let isOpen = false
  const { box, shown, items } = outbox(async () => {
    if (!isOpen) throw new CallError(400, 'no')
  })
  await box.start()
  await box.add('55', 'a', {})
  await box.add('55', 'b', {})
  await vi.waitFor(() => expect(items().every((it) => it.refused)).toBe(true))
  await box.discard('b')
  isOpen = true
  await box.retry('a')
  await vi.waitFor(() => expect(shown()).toEqual([]))
})

test('an item added while the lock of its room is released is sent', async () => {
  const sent: string[] = []
  let afterDrain: (() => Promise<void>) | undefined
  vi.stubGlobal('navigator', {
    locks: {
      // Add another item between the end of the work and the release of the lock.
      async request(_: string, work: () => Promise<void>) {
        await work()
        const add = afterDrain
        afterDrain = undefined
        await add?.()
      },
    },
  })
  const { box, shown } = outbox(async (item) => {
    sent.push(item.unique_temp_id)
  })
  await box.start()
  afterDrain = () => box.add('55', 'b', {})
  await box.add('55', 'a', {})
  await vi.waitFor(() => expect(sent).toEqual(['a', 'b']))
  await vi.waitFor(() => expect(shown()).toEqual([]))
  vi.unstubAllGlobals()
})
