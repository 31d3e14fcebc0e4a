/** A piece of a text; `isMatch` if it matches the search. */
export interface Piece {
  text: string
  isMatch: boolean
  /** Start of the piece in the text. */
  at: number
}

/** Splits a text at its matches. Overlapping, reversed and out-of-range matches are tolerated. */
export function piecesOf(text: string, matches: readonly (readonly number[])[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const add = (end: number, isMatch: boolean) => {
    if (end > at) pieces.push({ text: text.slice(at, end), isMatch, at })
    at = Math.max(at, end)
  }
  const sorted = matches.toSorted(([a = 0], [b = 0]) => a - b)
  for (const [start = 0, end = 0] of sorted) {
    add(Math.min(start, text.length), false)
    add(Math.min(end, text.length), true)
  }
  add(text.length, false)
  return pieces
}
