import { useCallback, useEffect, useRef, useState } from 'react'
import type { Me } from '../../app/shapes'
import { useFrames, useLive } from '../../live/LiveProvider'

/** Minimum interval between two frames that report typing. */
const REPORT_INTERVAL_MS = 3000
/** Time without a key after which typing counts as stopped. */
const PAUSE_MS = 5000
/** Time after which another user's typing expires if it is not reported again. */
const EXPIRY_MS = 8000

/** Returns a function that reports to the room whether the agent is typing. */
export function useReportTyping(room: string): (isTyping: boolean) => void {
  const { send } = useLive()
  const reportedAt = useRef(0)
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const stop = useCallback(() => {
    clearTimeout(pause.current)
    if (reportedAt.current !== 0) send({ type: 'typing', room_id: room, is_typing: false })
    reportedAt.current = 0
  }, [send, room])
  useEffect(() => stop, [stop])
  return useCallback(
    (isTyping) => {
      if (!isTyping) return stop()
      clearTimeout(pause.current)
      pause.current = setTimeout(stop, PAUSE_MS)
      if (Date.now() - reportedAt.current < REPORT_INTERVAL_MS) return
      const isSent = send({ type: 'typing', room_id: room, is_typing: true })
      if (isSent) reportedAt.current = Date.now()
    },
    [send, room, stop],
  )
}

/** Returns the names of the other users who are typing in a room. */
export function useTypists(me: Me, room: string): string[] {
  const [typists, setTypists] = useState<ReadonlyMap<string, string>>(new Map())
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  const set = useCallback((user: string, name: string | null) => {
    setTypists((known) => {
      const next = new Map(known)
      if (name === null) next.delete(user)
      else next.set(user, name)
      return next
    })
  }, [])
  useFrames(({ type, data }) => {
    if (type === 'message') {
      const message = data as { room_id_str: string; email: string }
      if (message.room_id_str === room) set(message.email, null)
    }
    if (type !== 'typing') return
    const typing = data as {
      room_id: string
      user_id: string
      username: string
      is_typing: boolean
    }
    if (typing.room_id !== room || typing.user_id === me.user.chat_user_id) return
    clearTimeout(timers.current.get(typing.user_id))
    set(typing.user_id, typing.is_typing ? typing.username : null)
    if (typing.is_typing) {
      const expiry = setTimeout(() => set(typing.user_id, null), EXPIRY_MS)
      timers.current.set(typing.user_id, expiry)
    }
  })
  useEffect(() => {
    const all = timers.current
    return () => {
      for (const timer of all.values()) clearTimeout(timer)
    }
  }, [])
  return [...typists.values()]
}
