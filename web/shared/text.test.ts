import { expect, test } from 'vitest'
import { fileSize, initials, pieces, safeUrl } from './text'

test('only absolute http and https URLs are safe', () => {
  expect(safeUrl('https://a.example/b?c=d')).toBe('https://a.example/b?c=d')
  expect(safeUrl(' http://a.example ')).toBe('http://a.example/')
  const refused = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\tjavascript:alert(1)',
    '/api/v2/me',
    '//evil.example',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a',
    'file:///etc/passwd',
    '',
    5,
    null,
    undefined,
    {},
  ]
  for (const text of refused) expect(safeUrl(text), String(text)).toBeNull()
})

test('a link excludes the punctuation that follows it', () => {
  const link = (text: string) => pieces(text).find((piece) => piece.href)?.text
  expect(link('Look at https://a.example/b.')).toBe('https://a.example/b')
  expect(link('(see https://a.example/b)')).toBe('https://a.example/b')
  expect(link('https://a.example/wiki/B_(c), ok')).toBe('https://a.example/wiki/B_(c)')
  expect(link('"https://a.example"<script>')).toBe('https://a.example')
  expect(link('no link: example.com')).toBeUndefined()
})

test('the pieces of a text join to the whole text', () => {
  for (const text of [
    '',
    'plain',
    'a https://x.example b http://y.example.',
    'https://',
    'http://[',
  ]) {
    expect(
      pieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  }
})

test('initials are the first letters of the first and last word', () => {
  expect(initials('Ana Maria Lopez')).toBe('AL')
  expect(initials('ana')).toBe('A')
  expect(initials('  ')).toBe('')
  expect(initials('😀 smile')).toBe('😀S')
})

test('file sizes have a unit for people', () => {
  expect(fileSize(1, 'en')).toBe('1 byte')
  expect(fileSize(1234, 'en')).toBe('1.2 kB')
  expect(fileSize(0, 'en')).toBe('0 bytes')
})
