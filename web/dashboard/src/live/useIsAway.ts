import { useSyncExternalStore } from 'react'
import { useLive } from './LiveProvider'

/** Whether the server cannot be reached now: what is shown may be old, and what would be sent cannot
 * be. */
export function useIsAway(): boolean {
  const { state } = useLive()
  const isOffline = useSyncExternalStore(whenItChanges, () => !navigator.onLine)
  return isOffline || state.is === 'waiting'
}

function whenItChanges(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}
