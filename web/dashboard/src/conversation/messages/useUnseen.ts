import { useEffect, useState } from 'react'
import type { Me } from '../../app/shapes'
import type { ThreadEntry } from './thread/useThread'

/** Returns the number of other users' messages below the visible part of the list. */
export function useUnseen(me: Me, entries: readonly ThreadEntry[], isAtEnd: boolean): number {
  const newest = entries[entries.length - 1]?.key ?? null
  const [seen, setSeen] = useState<string | null>(null)
  useEffect(() => {
    if (isAtEnd) setSeen(newest)
  }, [isAtEnd, newest])
  if (isAtEnd || seen === null) return 0
  const at = entries.findIndex((entry) => entry.key === seen)
  if (at < 0) return 0
  return entries
    .slice(at + 1)
    .filter(({ message }) => message && message.email !== me.user.chat_user_id).length
}
