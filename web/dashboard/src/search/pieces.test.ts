import { expect, test } from 'vitest'
import { piecesOf } from './pieces'

/** Returns the text with marked pieces in brackets. */
const shown = (text: string, matches: [number, number][]) =>
  piecesOf(text, matches)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join('')

test('matches are marked', () => {
  const both: [number, number][] = [
    [8, 10],
    [13, 16],
  ]
  expect(shown('Pesanan 1024 DIKIRIM', both)).toBe('Pesanan [10]24 [DIK]IRIM')
  expect(shown('halo', [[0, 4]])).toBe('[halo]')
  expect(shown('halo', [])).toBe('halo')
})

test('positions count UTF-16 code units', () => {
  expect(shown('😀 halo', [[3, 7]])).toBe('😀 [halo]')
})

test('no letter is lost or duplicated, whatever the matches are', () => {
  const odd: [number, number][][] = [
    [
      [2, 99],
      [50, 60],
    ],
    [
      [3, 5],
      [0, 4],
    ],
    [[3, 1]],
  ]
  for (const matches of odd) {
    const pieces = piecesOf('refunds', matches)
    expect(pieces.map(({ text }) => text).join('')).toBe('refunds')
  }
})
