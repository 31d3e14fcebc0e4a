import { expect, test } from 'vitest'
import { originsIn, tidyOrigins, wrongOrigin } from './origins'

test('lines stay as typed, and are trimmed when saved', () => {
  expect(originsIn('')).toEqual([])
  const lines = originsIn('https://a.example\n\n https://b.example:8443 ')
  expect(lines).toHaveLength(3)
  expect(tidyOrigins(lines)).toEqual(['https://a.example', 'https://b.example:8443'])
})

test('the first line that is not an origin is found', () => {
  const fine = ['https://a.example', 'http://127.0.0.1:8080', 'https://a.example/', '', ' ']
  expect(wrongOrigin(fine)).toBeUndefined()
  for (const wrong of ['a.example', 'https://a.example/path', 'ftp://a.example', 'https://']) {
    expect(wrongOrigin([...fine, wrong])).toBe(wrong)
  }
  expect(wrongOrigin(['https://a.example/?q'])).toBe('https://a.example/?q')
})
