// Retry delays.

const FIRST_MS = 500
const LONGEST_MS = 30_000
const SPREAD = 0.2

/** Returns the delay in ms before the next attempt: it doubles with each failure and varies
 * randomly by 20 %. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const whole = Math.min(FIRST_MS * 2 ** Math.max(failures - 1, 0), LONGEST_MS)
  return Math.round(whole * (1 - SPREAD + 2 * SPREAD * random()))
}
