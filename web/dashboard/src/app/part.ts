import { type ComponentType, lazy } from 'react'

const RELOADED = 'confab-reloaded-at'
/** A page that was fetched anew within this time is not fetched anew once more. */
const ONCE_IN_MS = 60_000
/** How long until a server that is away is asked again. */
const AWAY_MS = 2_000

/** A part of the page that is fetched when it is needed. */
export function part<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazy(() => fetched(load))
}

/** Fetches a part, however long the server is away. One that was replaced meanwhile has other parts:
 * then the page is fetched anew, once. */
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
