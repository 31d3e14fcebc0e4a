import { Button } from '@mantine/core'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { Bar } from '../ui/feedback/Bar'
import { useLive } from './LiveProvider'

/** Time without a connection after which the bar is shown. */
const SHOWN_AFTER_MS = 10_000

/** The bar for connection problems, and for a newer version of the page. */
export function ConnectionBar() {
  const words = useTranslations('connection')
  const { state, retryNow, newVersion } = useLive()
  const isOnline = useSyncExternalStore(subscribeToOnline, () => navigator.onLine)
  const [isEventsSeen, setEventsSeen] = useState(false)
  const offlineSince = useMemo(() => (isOnline ? null : Date.now()), [isOnline])
  const isGone = useHasElapsed('since' in state ? state.since : offlineSince, SHOWN_AFTER_MS)
  if (isGone) {
    return (
      <Bar isBad text={words(isOnline ? 'serverAway' : 'offline')}>
        <Button size="compact-sm" variant="default" onClick={retryNow}>
          {words('retry')}
        </Button>
      </Bar>
    )
  }
  if (newVersion !== null) {
    return (
      <Bar text={words('newVersion', { version: newVersion })}>
        <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
          {words('reload')}
        </Button>
      </Bar>
    )
  }
  if (state.is === 'events' && !isEventsSeen) {
    return (
      <Bar text={words('events')}>
        <Button size="compact-sm" variant="default" onClick={() => setEventsSeen(true)}>
          {words('understood')}
        </Button>
      </Bar>
    )
  }
  return null
}

/** Whether the time has passed since `since`. */
function useHasElapsed(since: number | null, ms: number): boolean {
  const [over, setOver] = useState<number | null>(null)
  useEffect(() => {
    if (since === null) return
    const timer = setTimeout(() => setOver(since), since + ms - Date.now())
    return () => clearTimeout(timer)
  }, [since, ms])
  return since !== null && over === since
}

function subscribeToOnline(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}
