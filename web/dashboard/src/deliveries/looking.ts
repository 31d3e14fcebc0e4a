// When a list is worth another look.
import type { Delivery } from '../app/shapes'

const SOON_MS = 2_000
const LATER_MAX_MS = 60_000

/** How long what is shown stays true by itself; false is for ever. What waits is tried when it is due,
 * and its answer takes a moment. */
export function nextLookMs(
  shown: Pick<Delivery, 'standing' | 'due_at'>[],
  now: number,
): number | false {
  const dues = shown
    .filter(({ standing }) => standing === 'waiting' || standing === 'parked')
    .map(({ due_at }) => (due_at ? Date.parse(due_at) - now : 0))
  if (dues.length === 0) return false
  return Math.min(Math.max(Math.min(...dues), 0) + SOON_MS, LATER_MAX_MS)
}

/** Whether a body was changed before it was shown. */
export const isMasked = (body: string): boolean => body.includes('"***"')
