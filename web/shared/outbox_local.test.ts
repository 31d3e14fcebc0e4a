import { expect, test } from 'vitest'
import type { OutboxItem } from './outbox'
import { LocalStore, type TextStore } from './outbox_local'

function texts(): TextStore & Map<string, string> {
  const map = new Map<string, string>()
  return Object.assign(map, {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  })
}

const item = (id: string, owner = 'me'): OutboxItem => ({
  unique_temp_id: id,
  owner,
  room_id: '55',
  number: 1,
  written_at: 1,
  body: { comment: id },
})

test('an item is there as soon as it was put, for whoever looks next', async () => {
  const kept = texts()
  void new LocalStore(kept, 'k').put(item('a'))
  expect(await new LocalStore(kept, 'k').all('me')).toEqual([item('a')])
  expect(await new LocalStore(kept, 'k').all('somebody else')).toEqual([])
})

test('an item that is put again replaces itself, and the last one leaves nothing behind', async () => {
  const kept = texts()
  const store = new LocalStore(kept, 'k')
  await store.put(item('a'))
  await store.put({ ...item('a'), refused: 'no' })
  expect((await store.all('me')).map((it) => it.refused)).toEqual(['no'])
  await store.remove('a')
  expect(kept.has('k')).toBe(false)
})

test('what is no outbox is an empty one', async () => {
  for (const text of ['', 'null', '{}', '{"a":', '[null,5,{"unique_temp_id":"a"}]']) {
    const kept = texts()
    kept.set('k', text)
    expect(await new LocalStore(kept, 'k').all('me'), text).toEqual([])
  }
})

test('what was written before somebody else came is forgotten, what they wrote is not', async () => {
  const store = new LocalStore(texts(), 'k')
  await store.put(item('a'))
  await store.put({ ...item('b'), written_at: 5 })
  store.forget(5)
  expect((await store.all('me')).map((it) => it.unique_temp_id)).toEqual(['b'])
})
