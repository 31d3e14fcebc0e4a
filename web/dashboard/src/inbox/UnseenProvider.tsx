import type { ReactNode } from 'react'
import type { Me } from '../app/shapes'
import { Unseen } from '../ui/useTitle'
import { NO_FILTERS } from './filters'
import { useRooms } from './useRooms'

/** Loads the user's own conversations on every screen, so that the tab's title can count the unseen
 * ones. */
export function UnseenProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { rows } = useRooms(me, 'mine', NO_FILTERS)
  const count = rows.filter((row) => !row.is_seen).length
  return <Unseen value={count}>{children}</Unseen>
}
