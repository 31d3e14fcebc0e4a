import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { CallError, call, withQuery } from '../../../../../shared/call'
import type { Frame } from '../../../../../shared/live'
import type { OutboxItem } from '../../../../../shared/outbox'
import type { Entry } from '../../../../../shared/thread'
import type { Comment } from '../../../app/shapes'
import { useFrames, useLive } from '../../../live/LiveProvider'
import { useOutbox } from '../../../live/OutboxProvider'
import {
  beginning,
  changeOf,
  type MessagePage,
  onlyPage,
  startOfNewest,
  withCorrected,
  withPageAfter,
  withPageBefore,
} from './reading'
import { Replay } from './replay'

export type ThreadEntry = Entry<Comment, OutboxItem>

const PAGE = 50
/** Number of the newest loaded messages that are loaded again after a disconnection, because they may
 * have been edited or deleted, or delivered. */
const RELOADED = 100
/** Maximum pages loaded to close a gap. */
const CATCH_UP_PAGES = 20

type CatchUpState = 'idle' | 'running' | 'rerun'

interface PageQuery {
  before?: string
  after?: string
  around?: string
}

/** Returns a room's messages and unsent outbox items, and functions to load more. Starts with the
 * newest page, or with the page around `targetId`. Live frames keep the thread up to date. */
export function useThread(room: string, targetId: string | null) {
  const [reading, setReading] = useState(beginning)
  /** The current reading, readable before React renders it. */
  const latest = useRef(reading)
  const [replay] = useState(() => {
    const held = {
      get value() {
        return latest.current
      },
      set value(value) {
        latest.current = value
        setReading(value)
      },
    }
    return new Replay(held)
  })
  const [error, setError] = useState<unknown>(null)
  const [isLoaded, setLoaded] = useState(false)
  const [isGone, setGone] = useState(false)
  const first = useRef(targetId)
  const isBusy = useRef(false)
  const catchUpState = useRef<CatchUpState>('idle')
  /** An id before the messages that were missed or may have changed; undefined if there are none. */
  const gapStart = useRef<string | undefined>(undefined)
  const { state, send } = useLive()
  const { items } = useOutbox()

  const fetchPage = useCallback(
    (query: PageQuery) =>
      call<MessagePage>(
        'GET',
        withQuery(`/api/v2/customer_rooms/${room}/messages`, { ...query, limit: PAGE }),
      ),
    [room],
  )

  /** Runs a request unless another one is running, and records its error. */
  const runExclusive = useCallback(async (work: () => Promise<void>) => {
    if (isBusy.current) return
    isBusy.current = true
    try {
      await work()
      setError(null)
    } catch (error) {
      setError(error)
    } finally {
      isBusy.current = false
    }
  }, [])

  /** Replaces the thread with the newest page, or with the page around a message if that message
   * exists. */
  const loadPage = useCallback(
    async (around: string | null) => {
      const find = async () => {
        const found = await fetchPage(around === null ? {} : { around }).catch((error: unknown) => {
          const isPermanent = error instanceof CallError && !error.isPassing
          if (around === null || !isPermanent) throw error
          return null
        })
        const isThere = around === null || found?.data.comments.some((it) => it.id_str === around)
        setGone(!isThere)
        return found !== null && isThere ? found : await fetchPage({})
      }
      await replay.load(find, (_, page) => onlyPage(page))
      setLoaded(true)
    },
    [fetchPage, replay],
  )

  const loadPageAfter = useCallback(
    (from: string) =>
      replay.load(
        () => fetchPage({ after: from }),
        (reading, page) => withPageAfter(reading, page, from),
      ),
    [fetchPage, replay],
  )

  /** Loads all messages after an id, or the newest page if these are more than `CATCH_UP_PAGES`
   * pages. */
  const loadAllAfter = useCallback(
    async (start: string) => {
      let from = start
      for (let pages = 0; pages < CATCH_UP_PAGES; pages += 1) {
        const { after } = (await loadPageAfter(from)).meta
        if (!after) return
        from = after
      }
      await loadPage(null)
    },
    [loadPageAfter, loadPage],
  )

  /** Loads the first page, or all messages that were missed or may have changed. If called while it
   * is running, it runs once more. */
  const catchUp = useCallback(async () => {
    // Remember where the gap begins: live messages may arrive before the missing ones are loaded.
    gapStart.current ??= startOfNewest(latest.current, RELOADED)
    if (catchUpState.current !== 'idle') {
      catchUpState.current = 'rerun'
      return
    }
    let hasFailed = false
    do {
      catchUpState.current = 'running'
      gapStart.current ??= startOfNewest(latest.current, RELOADED)
      try {
        if (gapStart.current === undefined) await loadPage(first.current)
        else if (latest.current.hasNewest) await loadAllAfter(gapStart.current)
        setError(null)
        setLoaded(true)
        hasFailed = false
      } catch (error) {
        setError(error)
        hasFailed = true
      }
    } while ((catchUpState.current as CatchUpState) === 'rerun')
    catchUpState.current = 'idle'
    if (!hasFailed) gapStart.current = undefined
  }, [loadPage, loadAllAfter])

  // With a live connection, subscribe to the room first: the `opened` frame triggers the load, and
  // messages posted in between arrive as frames. Without one, load right away.
  useEffect(() => {
    const isLive = state.is === 'open' || state.is === 'events'
    if (isLive && send({ type: 'open', room_id: room })) {
      return () => void send({ type: 'close', room_id: room })
    }
    void catchUp()
  }, [send, state.is, room, catchUp])

  const loadOlder = useCallback(
    () =>
      runExclusive(async () => {
        const { thread } = latest.current
        if (thread.oldestId === undefined || thread.hasOldest) return
        const before = thread.oldestId
        await replay.load(() => fetchPage({ before }), withPageBefore)
      }),
    [runExclusive, fetchPage, replay],
  )
  const loadNewer = useCallback(
    () =>
      runExclusive(async () => {
        const { thread, hasNewest } = latest.current
        if (thread.newestId === undefined || hasNewest) return
        await loadPageAfter(thread.newestId)
      }),
    [runExclusive, loadPageAfter],
  )
  /** Jumps to a message, or to the newest page if it does not exist. */
  const goTo = useCallback(
    (id: string | null) =>
      runExclusive(async () => {
        await loadPage(id)
      }),
    [runExclusive, loadPage],
  )
  const put = useCallback(
    (comment: Comment) => replay.apply((reading) => withCorrected(reading, comment)),
    [replay],
  )

  useFrames((frame) => {
    if (isRoomFrame(frame, 'opened', room) || isRoomFrame(frame, 'resync', room)) void catchUp()
    const change = changeOf(frame, room)
    if (change) replay.apply(change)
  })

  const unsent = useMemo(() => items.filter((it) => it.room_id === room), [items, room])
  const entries = useMemo<ThreadEntry[]>(
    () => reading.thread.withPending(reading.hasNewest ? unsent : []).entries(),
    [reading, unsent],
  )
  return {
    entries,
    error,
    isLoaded,
    /** The requested message does not exist; the newest page is shown instead. */
    isGone,
    edited: reading.edited,
    hasOldest: reading.thread.hasOldest,
    hasNewest: reading.hasNewest,
    missed: reading.missed.size,
    loadOlder,
    loadNewer,
    goTo,
    put,
    retry: catchUp,
  }
}

export type RoomThread = ReturnType<typeof useThread>

function isRoomFrame({ type, data }: Frame, expected: string, room: string): boolean {
  return type === expected && (data as { room_id?: string } | undefined)?.room_id === room
}
