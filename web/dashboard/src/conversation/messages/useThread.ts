import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { CallError, call, withQuery } from '../../../../shared/call'
import type { Frame } from '../../../../shared/live'
import type { OutboxItem } from '../../../../shared/outbox'
import type { Entry } from '../../../../shared/thread'
import type { Comment, Page } from '../../app/shapes'
import { useFrames, useLive } from '../../live/LiveProvider'
import { useOutbox } from '../../live/OutboxProvider'
import { beginning, type Change, changeOf, withCorrected, withPage } from './reading'

export type ThreadEntry = Entry<Comment, OutboxItem>

const PAGE = 50
/** Pages that are read after a gap; past that the newest page is shown alone. */
const CATCH_UP_PAGES = 20

type Catching = 'no' | 'yes' | 'again'

interface Question {
  before?: string
  after?: string
  around?: string
}

/** The messages of a room: the newest at first, or those around one that was asked for; older and
 * newer ones as they are asked for, new ones as they come, and what waits to be sent. */
export function useThread(room: string, asked: string | null) {
  const [reading, setReading] = useState(beginning)
  const newest = useRef(reading)
  /** What is known is known at once, before it is drawn. */
  const apply = useCallback((change: Change) => {
    newest.current = change(newest.current)
    setReading(newest.current)
  }, [])
  const [error, setError] = useState<unknown>(null)
  const [isLoaded, setLoaded] = useState(false)
  const [isGone, setGone] = useState(false)
  const first = useRef(asked)
  const isBusy = useRef(false)
  const catching = useRef<Catching>('no')
  /** Up to where nothing is missing, while something may be behind it. */
  const since = useRef<string | undefined>(undefined)
  const { state, say } = useLive()
  const { items } = useOutbox()

  const read = useCallback(
    (question: Question) =>
      call<Page<{ comments: Comment[] }>>(
        'GET',
        withQuery(`/api/v2/customer_rooms/${room}/messages`, { ...question, limit: PAGE }),
      ),
    [room],
  )

  /** Does one thing at a time with the server, and says if it failed. */
  const alone = useCallback(async (work: () => Promise<void>) => {
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

  /** Shows a page alone: the newest one, or the one around a message. Where it ends. */
  const show = useCallback(
    async (around: string | null) => {
      const found = await read(around === null ? {} : { around }).catch((error: unknown) => {
        const isRefused = error instanceof CallError && !error.isPassing
        if (around === null || !isRefused) throw error
        return null
      })
      const isThere = around === null || found?.data.comments.some((it) => it.id_str === around)
      setGone(!isThere)
      const page = found !== null && isThere ? found : await read({})
      apply(() => withPage(beginning(), page, 'alone'))
      setLoaded(true)
      return page.data.comments.at(-1)?.id_str
    },
    [read, apply],
  )

  /** Reads what came after a message, and up to where. */
  const readOn = useCallback(
    async (from: string) => {
      let end = from
      for (let pages = 0; pages < CATCH_UP_PAGES; pages += 1) {
        const page = await read({ after: end })
        apply((reading) => withPage(reading, page, 'after'))
        end = page.meta.after ?? page.data.comments.at(-1)?.id_str ?? end
        if (page.meta.after === null) break
      }
      return end
    },
    [read, apply],
  )

  /** Shows the first page, or what came since. Asked for again meanwhile, it looks once more. */
  const catchUp = useCallback(async () => {
    // What comes live from now on stands behind what is still to be read.
    since.current ??= newest.current.thread.newestId
    if (catching.current !== 'no') {
      catching.current = 'again'
      return
    }
    let hasFailed = false
    do {
      catching.current = 'yes'
      try {
        const from = since.current ?? newest.current.thread.newestId
        if (from === undefined) since.current = await show(first.current)
        else if (newest.current.hasNewest) since.current = await readOn(from)
        setError(null)
        setLoaded(true)
        hasFailed = false
      } catch (error) {
        setError(error)
        hasFailed = true
      }
    } while ((catching.current as Catching) === 'again')
    catching.current = 'no'
    if (!hasFailed) since.current = undefined
  }, [show, readOn])

  // Where frames come, the conversation is opened first and read once that is so: what is said
  // meanwhile comes live. Elsewhere, and until then, it is read as it is.
  useEffect(() => {
    const isLive = state.is === 'open' || state.is === 'events'
    if (isLive && say({ type: 'open', room_id: room })) {
      return () => void say({ type: 'close', room_id: room })
    }
    void catchUp()
  }, [say, state.is, room, catchUp])

  const loadOlder = useCallback(
    () =>
      alone(async () => {
        const { thread } = newest.current
        if (thread.oldestId === undefined || thread.hasOldest) return
        const page = await read({ before: thread.oldestId })
        apply((reading) => withPage(reading, page, 'before'))
      }),
    [alone, read, apply],
  )
  /** One more page; at the end everything that was left out meanwhile. */
  const loadNewer = useCallback(
    () =>
      alone(async () => {
        const { thread, hasNewest } = newest.current
        if (thread.newestId === undefined || hasNewest) return
        const page = await read({ after: thread.newestId })
        apply((reading) => withPage(reading, page, 'after'))
        const end = newest.current.thread.newestId
        if (page.meta.after === null && end !== undefined) await readOn(end)
      }),
    [alone, read, readOn, apply],
  )
  /** Brings a message into the thread, if the server has it. */
  const goTo = useCallback(
    (id: string | null) =>
      alone(async () => {
        await show(id)
      }),
    [alone, show],
  )
  const put = useCallback(
    (comment: Comment) => apply((reading) => withCorrected(reading, comment)),
    [apply],
  )

  useFrames((frame) => {
    if (isAbout(frame, 'opened', room) || isAbout(frame, 'resync', room)) void catchUp()
    const change = changeOf(frame, room)
    if (change) apply(change)
  })

  const waiting = useMemo(() => items.filter((it) => it.room_id === room), [items, room])
  const entries = useMemo<ThreadEntry[]>(
    () => reading.thread.withPending(reading.hasNewest ? waiting : []).entries(),
    [reading, waiting],
  )
  return {
    entries,
    error,
    isLoaded,
    /** The message that was asked for is not there; the newest ones are shown instead. */
    isGone,
    edited: reading.edited,
    hasOldest: reading.thread.hasOldest,
    hasNewest: reading.hasNewest,
    missed: reading.missed,
    loadOlder,
    loadNewer,
    goTo,
    put,
    retry: catchUp,
  }
}

export type RoomThread = ReturnType<typeof useThread>

function isAbout({ type, data }: Frame, what: string, room: string): boolean {
  return type === what && (data as { room_id?: string } | undefined)?.room_id === room
}
