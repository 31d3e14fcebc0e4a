import type { Row } from '../app/shapes'

/** Whether whoever is signed in has seen what the customer wrote. */
export function isSeen(row: Row): boolean {
  return row.is_seen ?? true
}
