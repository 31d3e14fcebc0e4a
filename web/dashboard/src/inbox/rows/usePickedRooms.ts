import { useState } from 'react'
import type { Row } from '../../app/shapes'
import { NONE_PICKED, type PickedRooms, withToggled } from './picking'

/** Tracks which rows are picked for a bulk action. Changing the list clears them. */
export function usePickedRooms(rows: readonly Row[], list: string) {
  const [state, setState] = useState({ list, picked: NONE_PICKED, last: '' })
  const picked = state.list === list ? state.picked : NONE_PICKED
  const set = (picked: PickedRooms, last = '') => setState({ list, picked, last })
  function toggle(at: number, isRange = false) {
    const last = isRange ? rows.findIndex((row) => row.room_id === state.last) : -1
    set(withToggled(rows, picked, at, last === -1 ? at : last), rows[at]?.room_id)
  }
  return { picked, set, toggle }
}
