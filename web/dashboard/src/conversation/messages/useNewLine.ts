import { useEffect, useRef, useState } from 'react'
import { compareIds } from '../../../../shared/thread'
import type { Me } from '../../app/shapes'
import type { ThreadEntry } from './useThread'

/** Above which entry the line "new" stands: the first one of somebody else that came since this was
 * last looked at on this device. It stays where it is until the page is left and seen again. */
export function useNewLine(me: Me, room: string, entries: readonly ThreadEntry[]): string | null {
  const key = `confab-seen/${me.app.code}/${me.user.id}/${room}`
  const [since, setSince] = useState(() => localStorage.getItem(key))
  const newest = entries.findLast((entry) => entry.message)?.message?.id_str
  const seen = useRef(newest)
  seen.current = newest
  useEffect(() => {
    if (newest !== undefined && !document.hidden) localStorage.setItem(key, newest)
  }, [newest, key])
  useEffect(() => {
    const change = () => {
      // Whoever comes back finds the line above what came meanwhile.
      if (document.hidden) setSince(seen.current ?? null)
      else if (seen.current !== undefined) localStorage.setItem(key, seen.current)
    }
    document.addEventListener('visibilitychange', change)
    return () => document.removeEventListener('visibilitychange', change)
  }, [key])
  if (since === null) return null
  const first = entries.find(
    ({ message }) =>
      message &&
      message.type !== 'system_event' &&
      message.email !== me.user.chat_user_id &&
      compareIds(message.id_str, since) > 0,
  )
  return first?.key ?? null
}
