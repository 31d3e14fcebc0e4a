import { useEffect, useState } from 'react'
import type { Me } from '../../../app/shapes'
import type { ThreadEntry } from '../../messages/thread/useThread'

/** Returns the id of the newest message when the draft was started, or null without a draft. The id
 * is stored on this device, next to the draft. */
export function useDraftStart(me: Me, room: string, text: string, entries: readonly ThreadEntry[]) {
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
    /** Marks all messages up to the newest as seen. */
    markSeen() {
      if (newest !== null) localStorage.setItem(key, newest)
      setSince(newest)
    },
  }
}
