import { expect, test } from 'vitest'
import { filled, inserted, NAME_PLACE } from './filled'

test('a reply names the customer wherever it has a place for the name', () => {
  expect(filled(`Hello ${NAME_PLACE}! Goodbye ${NAME_PLACE}.`, 'Ana')).toBe(
    'Hello Ana! Goodbye Ana.',
  )
  expect(filled('Hello {name}!', 'Ana')).toBe('Hello {name}!')
})

test('the place for the name comes where the caret is, and the caret behind it', () => {
  const put = inserted('Hello !', { from: 6, to: 6 }, NAME_PLACE)
  expect(put.text).toBe(`Hello ${NAME_PLACE}!`)
  expect(put.text.slice(put.caret)).toBe('!')
  expect(inserted('Hello you!', { from: 6, to: 9 }, NAME_PLACE).text).toBe(`Hello ${NAME_PLACE}!`)
})
