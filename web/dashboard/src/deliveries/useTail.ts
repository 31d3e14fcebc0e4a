import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { Data, HeardWebhook } from '../app/shapes'
import { DELIVERIES } from './useDeliveries'

const PATH = '/api/v2/webhooks/listen'
/** After a failure; the server's own waiting is longer than this. */
const PAUSE_MS = 5_000
/** After something was heard: a busy app makes many, and the list is read once for all of them. */
const PACE_MS = 3_000

/** Hears of webhooks as they are made, while the page is looked at, and has the list read again. Gives
 * how many were heard. */
export function useTail(isOn: boolean): number {
  const queries = useQueryClient()
  const [heard, setHeard] = useState(0)
  const isSeen = useIsSeen()
  useEffect(() => {
    if (!isOn || !isSeen) return
    const ended = new AbortController()
    void listen(ended.signal, (count) => {
      setHeard((heard) => heard + count)
      void queries.invalidateQueries({ queryKey: DELIVERIES })
    })
    return () => ended.abort()
  }, [isOn, isSeen, queries])
  return heard
}

/** Says first where it begins, with nothing heard: what was made until then is in the list. */
async function listen(signal: AbortSignal, onHeard: (count: number) => void): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      const path = withQuery(PATH, after === undefined ? { wait_seconds: 0 } : { after })
      const { data } = await call<Data<{ events: HeardWebhook[]; next: number }>>(
        'GET',
        path,
        undefined,
        signal,
      )
      const isBeginning = after === undefined
      after = data.next
      if (signal.aborted) return
      if (isBeginning || data.events.length > 0) onHeard(data.events.length)
      if (data.events.length > 0) await pause(PACE_MS)
    } catch {
      if (!signal.aborted) await pause(PAUSE_MS)
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A tab in the background listens to nothing. */
function useIsSeen(): boolean {
  const [isSeen, setSeen] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const changed = () => setSeen(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
  return isSeen
}
