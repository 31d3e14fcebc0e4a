import { useQueryClient } from '@tanstack/react-query'
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
import { ME } from '../app/Gate'
import type { Me } from '../app/shapes'
import { applyRow } from './rows'

type Hearer = (frame: Frame) => void

interface LiveBus {
  state: LiveState
  /** Hears every frame until it is ended. */
  hear: (hearer: Hearer) => () => void
  say: (frame: Frame & Record<string, unknown>) => boolean
  retryNow: () => void
}

const Bus = createContext<LiveBus | null>(null)

/** The live connection of this tab. */
export function useLive(): LiveBus {
  const bus = useContext(Bus)
  if (bus === null) throw new Error('no LiveProvider')
  return bus
}

/** Hears frames as long as the component is there. */
export function useFrames(hearer: Hearer): void {
  const { hear } = useLive()
  const newest = useRef(hearer)
  useEffect(() => {
    newest.current = hearer
  })
  useEffect(() => hear((frame) => newest.current(frame)), [hear])
}

/** Keeps one live connection. What was read before a gap is read again after it. */
export function LiveProvider({ me, children }: { me: Me; children: ReactNode }) {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>({ is: 'connecting' })
  const newest = useRef(me)
  newest.current = me
  const hearers = useRef(new Set<Hearer>())
  const live = useRef<Live | null>(null)
  useEffect(() => {
    const connection = new Live({
      path: '/api/v2/inbox/live',
      onFrame: (frame) => {
        applyRow(queries, newest.current, frame)
        for (const hearer of hearers.current) hearer(frame)
      },
      onOpen: () => void queries.invalidateQueries({ queryKey: ['live'] }),
      onState: (state) => {
        setState(state)
        if (state.is === 'signed-out') void queries.invalidateQueries({ queryKey: ME })
      },
    })
    live.current = connection
    connection.start()
    return () => connection.stop()
  }, [queries])
  const bus = useMemo<LiveBus>(
    () => ({
      state,
      hear(hearer) {
        hearers.current.add(hearer)
        return () => hearers.current.delete(hearer)
      },
      say: (frame) => live.current?.say(frame) ?? false,
      retryNow: () => live.current?.now(),
    }),
    [state],
  )
  return <Bus value={bus}>{children}</Bus>
}
