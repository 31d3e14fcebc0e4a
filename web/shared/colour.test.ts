import { expect, test } from 'vitest'
import { colourOf, contrast, inkOn, isColour } from './colour'

test('values other than six-digit colors become the default color', () => {
  expect(colourOf(' #ABCDEF ')).toBe('#ABCDEF')
  for (const text of ['red', '#fff', 'url(https://evil.example)', '', null, 5]) {
    expect(colourOf(text)).toBe('#0b6bcb')
  }
})

test('text on a color is black or white, whichever has the higher contrast', () => {
  expect(inkOn('#ffffff')).toBe('#000')
  expect(inkOn('#ffd400')).toBe('#000')
  expect(inkOn('#000000')).toBe('#fff')
  expect(inkOn('#0b6bcb')).toBe('#fff')
  expect(inkOn('#ffd700')).toBe('#000')
})

test('black on white has the maximum contrast, and a color on itself the minimum', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#0b6bcb', '#0b6bcb')).toBe(1)
  expect(contrast('#767676', '#FFFFFF')).toBeGreaterThan(4.5)
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5)
})

test('a color has a hash and six hex digits', () => {
  expect(isColour('#0b6bcb')).toBe(true)
  for (const odd of ['', 'red', '#fff', '#0b6bcg', '0b6bcb']) expect(isColour(odd)).toBe(false)
})
