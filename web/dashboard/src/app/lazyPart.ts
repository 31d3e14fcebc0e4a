import { type ComponentType, lazy } from 'react'

const RELOADED_AT_KEY = 'confab-reloaded-at'
/** Minimum time between two reloads of the page because of a missing part. */
const RELOAD_INTERVAL_MS = 60_000
/** Delay before the next attempt while the server is unreachable. */
const RETRY_DELAY_MS = 2_000

/** Returns a component whose code is loaded on first use. */
export function lazyPart<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazy(() => loadPart(load))
}

/** Loads code, and retries while the server is unreachable. If the server answers but the code is
 * still missing, a new version was deployed: the page is reloaded once. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const isThere = await fetch(location.href, { method: 'HEAD' }).then(
        () => true,
        () => new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS)),
      )
      if (isThere) return load().catch(() => reloadOnce(error))
    }
  }
}

function reloadOnce(error: unknown): Promise<never> {
  const before = Number(sessionStorage.getItem(RELOADED_AT_KEY))
  if (Date.now() - before < RELOAD_INTERVAL_MS) throw error
  sessionStorage.setItem(RELOADED_AT_KEY, String(Date.now()))
  location.reload()
  return new Promise(() => {})
}
