import { useSyncExternalStore } from 'react'
import { useLive } from './LiveProvider'

/** Whether the server is currently unreachable, so that data may be stale and nothing can be
 * sent. */
export function useIsOffline(): boolean {
  const { state } = useLive()
  const isBrowserOffline = useSyncExternalStore(subscribeToOnline, () => !navigator.onLine)
  return isBrowserOffline || state.is === 'waiting'
}

function subscribeToOnline(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}
