import type { Row } from '../../app/shapes'

/** The picked rooms, with the customers' names, because picked rows may be outside the loaded
 * list. */
export type PickedRooms = ReadonlyMap<string, string>

export const NONE_PICKED: PickedRooms = new Map()

/** Returns the picked rooms with one row toggled. With `from`, all rows between the two get the new
 * state of the row at `at`. */
export function withToggled(
  rows: readonly Row[],
  picked: PickedRooms,
  at: number,
  from = at,
): PickedRooms {
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
