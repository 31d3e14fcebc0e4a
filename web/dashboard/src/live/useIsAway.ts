import { useSyncExternalStore } from 'react'

/** Whether the browser knows that it has no network: what would be sent now cannot be. */
export function useIsAway(): boolean {
  return useSyncExternalStore(whenItChanges, () => !navigator.onLine)
}

function whenItChanges(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}
