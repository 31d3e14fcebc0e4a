import type { Row } from '../app/shapes'

/** What was picked of a list, by room, with the customers' names: some may be out of sight. */
export type Picked = ReadonlyMap<string, string>

export const NOTHING: Picked = new Map()

/** The same with a row picked, or not any more; with all between it and another row, if there is
 * one, as that row is then. */
export function toggled(rows: readonly Row[], picked: Picked, at: number, from = at): Picked {
  const row = rows[at]
  if (!row) return picked
  const next = new Map(picked)
  const isOn = !picked.has(row.room_id)
  for (const { room_id, name } of rows.slice(Math.min(at, from), Math.max(at, from) + 1)) {
    if (isOn) next.set(room_id, name)
    else next.delete(room_id)
  }
  return next
}
