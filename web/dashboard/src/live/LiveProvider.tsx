import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Frame, Live, type LiveState } from '../../../shared/live'
import { changeMe, ME } from '../app/me'
import type { Counts, Me, Row } from '../app/shapes'
import { COUNTS } from '../inbox/useCounts'
import { applyRow, cachedRow } from './rows'

/** Receives a frame and, if it is about a conversation, the previously cached row of that
 * conversation. */
type FrameListener = (frame: Frame, before?: Row) => void

interface LiveBus {
  state: LiveState
  /** Subscribes to all frames. Returns a function that unsubscribes. */
  subscribe: (listener: FrameListener) => () => void
  send: (frame: Frame & Record<string, unknown>) => boolean
  retryNow: () => void
  /** The server's version if it differs from the version that served this page. */
  newVersion: string | null
}

const Bus = createContext<LiveBus | null>(null)

/** Returns the live connection of this tab. */
export function useLive(): LiveBus {
  const bus = useContext(Bus)
  if (bus === null) throw new Error('no LiveProvider')
  return bus
}

/** Subscribes to frames while the component is mounted. */
export function useFrames(listener: FrameListener): void {
  const { subscribe } = useLive()
  const newest = useRef(listener)
  useEffect(() => {
    newest.current = listener
  })
  useEffect(() => subscribe((frame, before) => newest.current(frame, before)), [subscribe])
}

/** Maintains the tab's live connection. Queries with the prefix `live` are reloaded after each
 * gap. */
export function LiveProvider({ me, children }: { me: Me; children: ReactNode }) {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>(() => ({ is: 'connecting', since: Date.now() }))
  const [newVersion, setNewVersion] = useState<string | null>(null)
  const version = useRef(me.server.version)
  const newest = useRef(me)
  newest.current = me
  const listeners = useRef(new Set<FrameListener>())
  const live = useRef<Live | null>(null)
  useEffect(() => {
    const connection = new Live({
      path: '/api/v2/inbox/live',
      onFrame: (frame) => {
        const before = cachedRow(queries, frame)
        applyRow(queries, newest.current, frame)
        if (frame.type === 'tags') reloadTags(queries)
        if (frame.type === 'counts') queries.setQueryData(COUNTS, frame.data as Counts)
        if (frame.type === 'agent') applyAgent(queries, newest.current, frame)
        if (frame.type === 'hello') setNewVersion(newer(frame, version.current))
        for (const listener of listeners.current) listener(frame, before)
      },
      onOpen: () => void queries.invalidateQueries({ queryKey: ['live'] }),
      onState: (state) => {
        setState(state)
        // The connection may have been closed for another reason: a user who is still signed in
        // reconnects.
        if (state.is === 'signed-out') {
          void queries.refetchQueries({ queryKey: ME }).then(() => {
            if (queries.getQueryData(ME)) connection.again()
          })
        }
      },
    })
    live.current = connection
    connection.start()
    return () => connection.stop()
  }, [queries])
  // These functions never change, so state changes do not rerender components that use only them.
  const functions = useMemo(
    () => ({
      subscribe(listener: FrameListener) {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
      send: (frame: Frame & Record<string, unknown>) => live.current?.say(frame) ?? false,
      retryNow: () => live.current?.now(),
    }),
    [],
  )
  const bus = useMemo<LiveBus>(
    () => ({ state, newVersion, ...functions }),
    [state, newVersion, functions],
  )
  return <Bus value={bus}>{children}</Bus>
}

/** Reloads the queries that show tags, after a tag's name or color changed. */
function reloadTags(queries: QueryClient): void {
  for (const key of [['live', 'rooms'], ['live', 'room'], ['tags'], ['choices', '/api/v2/tags']]) {
    void queries.invalidateQueries({ queryKey: key })
  }
}

function newer({ data }: Frame, version: string): string | null {
  const { version: now } = data as { version: string }
  return now === version ? null : now
}

/** Applies a change of the user's own availability, by an admin or in another tab. */
function applyAgent(queries: QueryClient, me: Me, { data }: Frame): void {
  const { id, is_available, force_offline } = data as Me['user']
  if (id === me.user.id) changeMe(queries, { is_available, force_offline })
}
