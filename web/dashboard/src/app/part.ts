import { type ComponentType, lazy } from 'react'

const RELOADED = 'confab-reloaded-at'
/** Minimum time between two reloads of the page because of a missing part. */
const ONCE_IN_MS = 60_000
/** Delay before the next attempt while the server is unreachable. */
const AWAY_MS = 2_000

/** Returns a component whose code is loaded on first use. */
export function part<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazy(() => fetched(load))
}

/** Loads code, and retries while the server is unreachable. If the server answers but the code is
 * still missing, a new version was deployed: the page is reloaded once. */
export async function fetched<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const isThere = await fetch(location.href, { method: 'HEAD' }).then(
        () => true,
        () => new Promise((resolve) => setTimeout(resolve, AWAY_MS)),
      )
      if (isThere) return load().catch(() => reloadOnce(error))
    }
  }
}

function reloadOnce(error: unknown): Promise<never> {
  const before = Number(sessionStorage.getItem(RELOADED))
  if (Date.now() - before < ONCE_IN_MS) throw error
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return new Promise(() => {})
}
