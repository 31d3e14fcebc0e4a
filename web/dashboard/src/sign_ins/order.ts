import type { SignInEntry } from '../app/shapes'

/** This one first, then those that were used last. */
export function inOrder(signIns: readonly SignInEntry[]): SignInEntry[] {
  return signIns.toSorted(
    (a, b) => Number(b.is_current) - Number(a.is_current) || b.seen_at.localeCompare(a.seen_at),
  )
}
