import { expect, test } from 'vitest'
import { filled, inserted, NAME_PLACE } from './filled'

test("a reply contains the customer's name at each placeholder", () => {
  expect(filled(`Hello ${NAME_PLACE}! Goodbye ${NAME_PLACE}.`, 'Ana')).toBe(
    'Hello Ana! Goodbye Ana.',
  )
  expect(filled('Hello {name}!', 'Ana')).toBe('Hello {name}!')
})

test('the placeholder is inserted at the caret, which moves behind it', () => {
  const put = inserted('Hello !', { from: 6, to: 6 }, NAME_PLACE)
  expect(put.text).toBe(`Hello ${NAME_PLACE}!`)
  expect(put.text.slice(put.caret)).toBe('!')
  expect(inserted('Hello you!', { from: 6, to: 9 }, NAME_PLACE).text).toBe(`Hello ${NAME_PLACE}!`)
})
