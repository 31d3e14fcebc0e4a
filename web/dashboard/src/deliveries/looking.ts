// When a list is worth another look.
import type { Delivery } from '../app/shapes'

const SOON_MS = 2_000
const LATER_MAX_MS = 60_000
/** What is due for longer waits for somebody: its endpoint is paused, or another is before it. */
const GIVEN_UP_MS = 10 * 60_000

/** How long what is shown stays true by itself; false is for ever. What waits is tried when it is due,
 * and its answer takes a moment; the longer it is due, the more seldom it is looked at. */
export function nextLookMs(
  shown: Pick<Delivery, 'standing' | 'due_at'>[],
  now: number,
): number | false {
  const waits = shown
    .filter(({ standing }) => standing === 'waiting' || standing === 'parked')
    .map(({ due_at }) => (due_at ? Date.parse(due_at) - now : -GIVEN_UP_MS))
    .filter((dueMs) => dueMs > -GIVEN_UP_MS)
    .map((dueMs) => (dueMs > 0 ? dueMs + SOON_MS : Math.max(-dueMs, SOON_MS)))
  return waits.length === 0 ? false : Math.min(...waits, LATER_MAX_MS)
}

/** Whether a body was changed before it was shown. */
export const isMasked = (body: string): boolean => body.includes('"***"')
