import { expect, test } from 'vitest'
import { NAME_PLACEHOLDER, withInserted, withName } from './placeholders'

test("a reply contains the customer's name at each placeholder", () => {
  expect(withName(`Hello ${NAME_PLACEHOLDER}! Goodbye ${NAME_PLACEHOLDER}.`, 'Ana')).toBe(
    'Hello Ana! Goodbye Ana.',
  )
  expect(withName('Hello {name}!', 'Ana')).toBe('Hello {name}!')
})

test('the placeholder is inserted at the caret, which moves behind it', () => {
  const put = withInserted('Hello !', { from: 6, to: 6 }, NAME_PLACEHOLDER)
  expect(put.text).toBe(`Hello ${NAME_PLACEHOLDER}!`)
  expect(put.text.slice(put.caret)).toBe('!')
  expect(withInserted('Hello you!', { from: 6, to: 9 }, NAME_PLACEHOLDER).text).toBe(
    `Hello ${NAME_PLACEHOLDER}!`,
  )
})
