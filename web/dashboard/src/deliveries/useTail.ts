import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { CreatedWebhook, Data } from '../app/shapes'
import { DELIVERIES } from './useDeliveries'

const PATH = '/api/v2/webhooks/listen'
/** Delay after a failed request. The server's own long polling takes longer. */
const PAUSE_MS = 5_000
/** Delay after new webhooks, so that the list is reloaded once for many. */
const PACE_MS = 3_000

/** Reloads the list when webhooks are created, while the tab is visible. Returns the number of
 * webhooks created since the screen was opened. */
export function useTail(isOn: boolean): number {
  const queries = useQueryClient()
  const [count, setCount] = useState(0)
  const isVisible = useIsTabVisible()
  useEffect(() => {
    if (!isOn || !isVisible) return
    const controller = new AbortController()
    void listen(controller.signal, (count) => {
      setCount((heard) => heard + count)
      void queries.invalidateQueries({ queryKey: DELIVERIES })
    })
    return () => controller.abort()
  }, [isOn, isVisible, queries])
  return count
}

/** Polls for new webhooks. The first request only returns the current position: older webhooks are
 * in the list. */
async function listen(signal: AbortSignal, onEvents: (count: number) => void): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      const path = withQuery(PATH, after === undefined ? { wait_seconds: 0 } : { after })
      const { data } = await call<Data<{ events: CreatedWebhook[]; next: number }>>(
        'GET',
        path,
        undefined,
        signal,
      )
      const isBeginning = after === undefined
      after = data.next
      if (signal.aborted) return
      if (isBeginning || data.events.length > 0) onEvents(data.events.length)
      if (data.events.length > 0) await pause(PACE_MS)
    } catch {
      if (!signal.aborted) await pause(PAUSE_MS)
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether the tab is visible. Hidden tabs do not poll. */
function useIsTabVisible(): boolean {
  const [isSeen, setSeen] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const changed = () => setSeen(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
  return isSeen
}
