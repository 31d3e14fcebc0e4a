// Converts numbers to positions in a chart of 1000 by 200 units.
export const WIDTH = 1000
export const HEIGHT = 200

/** Rounds up to 1, 2 or 5 times a power of ten. */
export function roundUp(max: number): number {
  if (max <= 1) return 1
  const tens = 10 ** Math.floor(Math.log10(max))
  const factor = [1, 2, 5, 10].find((it) => it * tens >= max) ?? 10
  return factor * tens
}

/** Returns the upper end of the axis. */
export function topOf(values: (number | null | undefined)[]): number {
  return roundUp(Math.max(0, ...values.map((value) => value ?? 0)))
}

/** Returns the rectangle of bar number `at` of `series` bars, in one of `count` groups. */
export function barOf(
  value: number,
  top: number,
  at: number,
  group: number,
  count: number,
  series: number,
) {
  const room = WIDTH / count
  const width = (room * 0.8) / series
  const height = (value / top) * HEIGHT
  return {
    x: round(group * room + room * 0.1 + at * width),
    y: round(HEIGHT - height),
    width: round(width),
    height: round(height),
  }
}

/** Returns the polylines through the known values, with a gap at each unknown value. */
export function linesOf(values: (number | null | undefined)[], top: number): string[] {
  const room = WIDTH / Math.max(values.length, 1)
  const lines: string[][] = [[]]
  values.forEach((value, at) => {
    if (value === null || value === undefined) lines.push([])
    else lines.at(-1)?.push(`${round((at + 0.5) * room)},${round(HEIGHT - (value / top) * HEIGHT)}`)
  })
  return lines.filter((line) => line.length > 0).map((line) => line.join(' '))
}

const round = (value: number) => Math.round(value * 10) / 10
