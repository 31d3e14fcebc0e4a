import { useEffect, useRef, useState } from 'react'
import { compareIds } from '../../../../shared/thread'
import type { Me } from '../../app/shapes'
import type { ThreadEntry } from './thread/useThread'

/** Returns the key of the entry above which the "new" line is shown: the first message of another
 * user since the conversation was last seen on this device. The line stays in place until the page
 * is hidden. */
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
      // When the agent returns, the line is above the messages that arrived while the page was
      // hidden.
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
