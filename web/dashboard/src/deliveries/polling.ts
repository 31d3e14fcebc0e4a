// Computes when a list of deliveries is reloaded.
import type { Delivery } from '../app/shapes'

const SOON_MS = 2_000
const LATER_MAX_MS = 60_000
/** Time after which an overdue delivery is no longer polled: its endpoint is paused, or it is
 * blocked by another delivery. */
const OVERDUE_MAX_MS = 10 * 60_000

/** Returns the time until the next reload in milliseconds, or false if nothing will change. A
 * waiting delivery is reloaded soon after its next attempt; the longer it is overdue, the less
 * often. */
export function nextPollMs(
  shown: Pick<Delivery, 'standing' | 'due_at'>[],
  now: number,
): number | false {
  const waits = shown
    .filter(({ standing }) => standing === 'waiting' || standing === 'parked')
    .map(({ due_at }) => (due_at ? Date.parse(due_at) - now : -OVERDUE_MAX_MS))
    .filter((dueMs) => dueMs > -OVERDUE_MAX_MS)
    .map((dueMs) => (dueMs > 0 ? dueMs + SOON_MS : Math.max(-dueMs, SOON_MS)))
  return waits.length === 0 ? false : Math.min(...waits, LATER_MAX_MS)
}

/** Whether secrets in a body were masked before it was shown. */
export const isMasked = (body: string): boolean => body.includes('"***"')
