import { expect, test } from 'vitest'
import { Replay } from './replay'

function replayed(begin: string[]) {
  const held = { value: begin }
  return { held, replay: new Replay<string[]>(held) }
}

const adding = (text: string) => (value: string[]) => [...value, text]

test('changes that arrive while a page loads are applied again after it', async () => {
  const { held, replay } = replayed(['old'])
  replay.apply(adding('before'))
  let release = (_: string[]) => {}
  const page = new Promise<string[]>((resolve) => {
    release = resolve
  })
  const loading = replay.load(
    () => page,
    (_, page) => page,
  )
  replay.apply(adding('meanwhile'))
  expect(held.value).toEqual(['old', 'before', 'meanwhile'])
  release(['page'])
  expect(await loading).toEqual(['page'])
  expect(held.value).toEqual(['page', 'meanwhile'])
  replay.apply(adding('after'))
  expect(held.value).toEqual(['page', 'meanwhile', 'after'])
})

test('a page that fails to load changes nothing', async () => {
  const { held, replay } = replayed(['old'])
  const loading = replay.load(
    () => Promise.reject(new Error('offline')),
    () => [],
  )
  replay.apply(adding('meanwhile'))
  await expect(loading).rejects.toThrow('offline')
  expect(held.value).toEqual(['old', 'meanwhile'])
})
