import { expect, test } from 'vitest'
import { rebase } from './rebase'

test('unedited fields follow the new base, and edited fields stay', () => {
  const from = { name: 'Shop', zone: 'UTC' }
  const to = { name: 'Store', zone: 'Asia/Jakarta' }
  expect(rebase({ name: 'Shop', zone: '+07:00' }, from, to)).toEqual({
    name: 'Store',
    zone: '+07:00',
  })
  expect(rebase(from, from, to)).toEqual(to)
})

test('fields of nested objects are merged one by one, and lists as a whole', () => {
  const from = { theme: { colour: 'red', position: 'end' }, fields: ['name'] }
  const to = { theme: { colour: 'red', position: 'start' }, fields: ['name', 'phone'] }
  const draft = { theme: { colour: 'blue', position: 'end' }, fields: ['email'] }
  expect(rebase(draft, from, to)).toEqual({
    theme: { colour: 'blue', position: 'start' },
    fields: ['email'],
  })
})
