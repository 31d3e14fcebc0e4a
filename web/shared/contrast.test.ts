import { expect, test } from 'vitest'
import { contrast, isColour, readableOn } from './contrast'

test('black on white is as far apart as can be, and a colour on itself not at all', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#0b6bcb', '#0b6bcb')).toBe(1)
  expect(contrast('#767676', '#FFFFFF')).toBeGreaterThan(4.5)
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5)
})

test('text on a colour is black or white, whichever is read better', () => {
  expect(readableOn('#0b6bcb')).toBe('#ffffff')
  expect(readableOn('#ffd700')).toBe('#000000')
})

test('a colour has six digits', () => {
  expect(isColour('#0b6bcb')).toBe(true)
  for (const odd of ['', 'red', '#fff', '#0b6bcg', '0b6bcb']) expect(isColour(odd)).toBe(false)
})
