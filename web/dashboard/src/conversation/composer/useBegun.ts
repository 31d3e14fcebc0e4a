import { useEffect, useState } from 'react'
import type { Me } from '../../app/shapes'
import type { ThreadEntry } from '../messages/useThread'

/** Which message was the newest when a draft was begun; kept beside the draft. */
export function useBegun(me: Me, room: string, text: string, entries: readonly ThreadEntry[]) {
  const key = `confab-begun/${me.app.code}/${me.user.id}/${room}`
  const [since, setSince] = useState(() => localStorage.getItem(key))
  const newest = entries.findLast((entry) => entry.message)?.message?.id_str ?? null
  const isEmpty = text === ''
  useEffect(() => {
    if (isEmpty) {
      localStorage.removeItem(key)
      setSince(null)
    } else if (since === null && newest !== null) {
      localStorage.setItem(key, newest)
      setSince(newest)
    }
  }, [isEmpty, since, newest, key])
  return {
    since,
    /** Everything up to now was seen. */
    readUpToNow() {
      if (newest !== null) localStorage.setItem(key, newest)
      setSince(newest)
    },
  }
}
