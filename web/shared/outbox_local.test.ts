import { expect, test } from 'vitest'
import type { OutboxItem } from './outbox'
import { LocalStore, type TextStore } from './outbox_local'

function texts(): TextStore & { size: number } {
  const map = new Map<string, string>()
  return {
    get size() {
      return map.size
    },
    keys: () => [...map.keys()],
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  }
}

const item = (id: string, owner = 'me'): OutboxItem => ({
  unique_temp_id: id,
  owner,
  room_id: '55',
  number: 1,
  written_at: 1,
  body: { comment: id },
})

test('an item can be read as soon as it was put, by its owner only', async () => {
  const storage = texts()
  void new LocalStore(storage, 'k:').put(item('a'))
  expect(await new LocalStore(storage, 'k:').all('me')).toEqual([item('a')])
  expect(await new LocalStore(storage, 'k:').all('somebody else')).toEqual([])
})

test('putting an item again replaces it, and removing the last one leaves no keys', async () => {
  const storage = texts()
  const store = new LocalStore(storage, 'k:')
  await store.put(item('a'))
  await store.put({ ...item('a'), refused: 'no' })
  expect((await store.all('me')).map((it) => it.refused)).toEqual(['no'])
  await store.remove('a')
  expect(storage.size).toBe(0)
})

test('invalid values in the storage are ignored', async () => {
  for (const text of ['', 'null', '{}', '{"a":', '[5]', '{"unique_temp_id":"a"}']) {
    const storage = texts()
    storage.setItem('k:a', text)
    expect(await new LocalStore(storage, 'k:').all('me'), text).toEqual([])
  }
})

test('only items written before the given time are deleted', async () => {
  const store = new LocalStore(texts(), 'k:')
  await store.put(item('a'))
  await store.put({ ...item('b'), written_at: 5 })
  store.deleteBefore(5)
  expect((await store.all('me')).map((it) => it.unique_temp_id)).toEqual(['b'])
})

test('tabs that write at the same time do not overwrite each other', async () => {
  const storage = texts()
  // A tab sees the writes of another tab with a delay.
  const late = { ...storage, keys: () => [] as string[], getItem: () => null }
  await new LocalStore(storage, 'k:').put(item('a'))
  const other = new LocalStore(late, 'k:')
  await other.put(item('b'))
  await other.remove('c')
  const all = await new LocalStore(storage, 'k:').all('me')
  expect(all.map((it) => it.unique_temp_id)).toEqual(['a', 'b'])
})
