import { expect, test } from 'vitest'
import { colourOf, inkOn } from './colour'

test('what is no colour of six digits is ours', () => {
  expect(colourOf(' #ABCDEF ')).toBe('#ABCDEF')
  for (const text of ['red', '#fff', 'url(https://evil.example)', '', null, 5]) {
    expect(colourOf(text)).toBe('#0b6bcb')
  }
})

test('the ink is the one that can be read', () => {
  expect(inkOn('#ffffff')).toBe('#000')
  expect(inkOn('#ffd400')).toBe('#000')
  expect(inkOn('#000000')).toBe('#fff')
  expect(inkOn('#0b6bcb')).toBe('#fff')
})
