import { useEffect, useRef, useState } from 'react'
import { useFormatter } from 'use-intl'
import { compareIds } from '../../../../shared/thread'
import type { Me } from '../../app/shapes'
import type { ThreadEntry } from './thread/useThread'
import { useSummary } from './useSummary'

interface Announcement {
  key: string
  text: string
}

/** Number of announcements in the hidden log; older ones were read aloud already. */
const ANNOUNCEMENTS_MAX = 10

/** Returns the texts of messages that other users posted since the conversation was opened, in
 * order. Screen readers announce each once. */
export function useAnnouncements(me: Me, entries: readonly ThreadEntry[]): Announcement[] {
  const format = useFormatter()
  const summary = useSummary()
  const [announcements, setAnnouncements] = useState<Announcement[]>([])
  const last = useRef<string | null>(null)
  useEffect(() => {
    const messages = entries.flatMap(({ message }) => message ?? [])
    const newest = messages[messages.length - 1]?.id_str
    const from = last.current
    if (newest === undefined) return
    last.current = newest
    if (from === null) return
    const added = messages.filter(
      (it) => compareIds(it.id_str, from) > 0 && it.email !== me.user.chat_user_id,
    )
    if (added.length === 0) return
    const texts = added.map((comment) => {
      const time = format.dateTime(new Date(comment.timestamp), { timeStyle: 'short' })
      const who = comment.type === 'system_event' ? '' : `${comment.username}, `
      return { key: comment.unique_temp_id, text: `${who}${time}: ${summary(comment)}` }
    })
    setAnnouncements((known) => [...known, ...texts].slice(-ANNOUNCEMENTS_MAX))
  }, [entries, me.user.chat_user_id, format, summary])
  return announcements
}
