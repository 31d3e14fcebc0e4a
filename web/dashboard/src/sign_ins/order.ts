import type { SignInEntry } from '../app/shapes'

/** Sorts sign-ins: the current one first, then by last use. */
export function inOrder(signIns: readonly SignInEntry[]): SignInEntry[] {
  return signIns.toSorted(
    (a, b) => Number(b.is_current) - Number(a.is_current) || b.seen_at.localeCompare(a.seen_at),
  )
}
