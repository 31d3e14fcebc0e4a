import { expect, test } from 'vitest'
import { piecesOf } from './marked'

/** As it would be read, with what is marked in brackets. */
const shown = (text: string, matches: [number, number][]) =>
  piecesOf(text, matches)
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('')

test('what was looked for is marked', () => {
  const both: [number, number][] = [
    [8, 10],
    [13, 16],
  ]
  expect(shown('Pesanan 1024 DIKIRIM', both)).toBe('Pesanan [10]24 [DIK]IRIM')
  expect(shown('halo', [[0, 4]])).toBe('[halo]')
  expect(shown('halo', [])).toBe('halo')
})

test('signs that take two units are counted as browsers count', () => {
  expect(shown('😀 halo', [[3, 7]])).toBe('😀 [halo]')
})

test('no letter is lost or shown twice, whatever the matches are', () => {
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
