import { expect, test } from 'vitest'
import { rebased } from './rebased'

test('what was not touched follows, and what was touched stays', () => {
  const from = { name: 'Shop', zone: 'UTC' }
  const to = { name: 'Store', zone: 'Asia/Jakarta' }
  expect(rebased({ name: 'Shop', zone: '+07:00' }, from, to)).toEqual({
    name: 'Store',
    zone: '+07:00',
  })
  expect(rebased(from, from, to)).toEqual(to)
})

test('the same within a group; a list is one thing', () => {
  const from = { theme: { colour: 'red', position: 'end' }, fields: ['name'] }
  const to = { theme: { colour: 'red', position: 'start' }, fields: ['name', 'phone'] }
  const draft = { theme: { colour: 'blue', position: 'end' }, fields: ['email'] }
  expect(rebased(draft, from, to)).toEqual({
    theme: { colour: 'blue', position: 'start' },
    fields: ['email'],
  })
})
