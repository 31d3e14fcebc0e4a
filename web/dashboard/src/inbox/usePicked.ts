import { useState } from 'react'
import type { Row } from '../app/shapes'
import { NOTHING, type Picked, toggled } from './picking'

/** Tracks which rows are picked for a bulk action. Changing the list clears them. */
export function usePicked(rows: readonly Row[], list: string) {
  const [held, setHeld] = useState({ list, picked: NOTHING, last: '' })
  const picked = held.list === list ? held.picked : NOTHING
  const set = (picked: Picked, last = '') => setHeld({ list, picked, last })
  function toggle(at: number, isRange = false) {
    const last = isRange ? rows.findIndex((row) => row.room_id === held.last) : -1
    set(toggled(rows, picked, at, last === -1 ? at : last), rows[at]?.room_id)
  }
  return { picked, set, toggle }
}
