import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { Frame } from '../../../shared/live'
import type { OutboxItem } from '../../../shared/outbox'
import { type Entry, Thread } from '../../../shared/thread'
import type { Comment, Page } from '../app/shapes'
import { useFrames, useLive } from '../live/LiveProvider'
import { useOutbox } from '../live/OutboxProvider'

export type ThreadEntry = Entry<Comment, OutboxItem>
type RoomThread = Thread<Comment, OutboxItem>
type Change = (thread: RoomThread) => RoomThread

const PAGE = 50
/** Pages that are read after a gap; past that the newest page is shown alone. */
const CATCH_UP_PAGES = 20

/** The messages of a room: the newest at first, older ones as they are asked for, new ones as they
 * come, and what waits to be sent. */
export function useThread(room: string) {
  const [thread, apply] = useReducer(
    (thread: RoomThread, change: Change) => change(thread),
    undefined,
    () => Thread.empty<Comment, OutboxItem>(),
  )
  const [error, setError] = useState<unknown>(null)
  const [isLoaded, setLoaded] = useState(false)
  const isReading = useRef(false)
  const newest = useRef<RoomThread>(thread)
  newest.current = thread
  const { state, say } = useLive()
  const { items } = useOutbox()

  const read = useCallback(
    (query: { before?: string; after?: string }) =>
      call<Page<{ comments: Comment[] }>>(
        'GET',
        withQuery(`/api/v2/customer_rooms/${room}/messages`, { ...query, limit: PAGE }),
      ),
    [room],
  )

  /** The newest page, or what came after the newest message that is known. */
  const catchUp = useCallback(async () => {
    try {
      let after = newest.current.newestId
      if (after === undefined) {
        const { data, meta } = await read({})
        apply((thread) => thread.merge(data.comments, meta.before === null))
      }
      for (let pages = 0; after !== undefined && pages < CATCH_UP_PAGES; pages += 1) {
        const { data, meta } = await read({ after })
        apply((thread) => thread.merge(data.comments))
        after = meta.after ?? undefined
      }
      setError(null)
      setLoaded(true)
    } catch (error) {
      setError(error)
    }
  }, [read])

  // Where frames come, the conversation is opened first and read once that is so: what is said
  // meanwhile comes live. Elsewhere, and until then, it is read as it is.
  useEffect(() => {
    if (state.is === 'open' && say({ type: 'open', room_id: room })) {
      return () => void say({ type: 'close', room_id: room })
    }
    void catchUp()
  }, [say, state.is, room, catchUp])

  const loadOlder = useCallback(async () => {
    const before = newest.current.oldestId
    if (isReading.current || before === undefined || newest.current.hasOldest) return
    isReading.current = true
    try {
      const { data, meta } = await read({ before })
      apply((thread) => thread.merge(data.comments, meta.before === null))
    } catch (error) {
      setError(error)
    } finally {
      isReading.current = false
    }
  }, [read])

  useFrames((frame) => {
    if (isOpened(frame, room)) void catchUp()
    const change = changeOf(frame, room)
    if (change) apply(change)
  })

  const waiting = useMemo(() => items.filter((it) => it.room_id === room), [items, room])
  const entries = useMemo(() => thread.withPending(waiting).entries(), [thread, waiting])
  return { entries, error, isLoaded, hasOldest: thread.hasOldest, loadOlder, retry: catchUp }
}

function isOpened({ type, data }: Frame, room: string): boolean {
  return type === 'opened' && (data as { room_id: string }).room_id === room
}

/** What a frame changes in a room's thread. */
function changeOf({ type, data }: Frame, room: string): Change | null {
  if (type === 'message' || type === 'message_updated') {
    const comment = data as Comment
    return comment.room_id_str === room ? (thread) => thread.merge([comment]) : null
  }
  if (type === 'messages_deleted') {
    const gone = data as { room_id: string; unique_ids: string[]; is_hard_delete: boolean }
    if (gone.room_id !== room) return null
    const trace = (comment: Comment) =>
      gone.is_hard_delete ? null : { ...comment, message: '', payload: null, is_deleted: true }
    return (thread) => thread.delete(gone.unique_ids, trace)
  }
  return null
}
