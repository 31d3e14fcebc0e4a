import { type ComponentType, lazy } from 'react'

const RELOADED = 'confab-reloaded-at'
/** A page that was fetched anew within this time is not fetched anew once more. */
const ONCE_IN_MS = 60_000

/** A part of the page that is fetched when it is needed. A server that was replaced meanwhile has
 * other parts: then the page is fetched anew, once. */
export function part<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazy(() => load().catch(reloadOnce))
}

/** Fetches the page anew unless that was just tried. */
export function reloadOnce(error: unknown): Promise<never> {
  const before = Number(sessionStorage.getItem(RELOADED))
  if (Date.now() - before < ONCE_IN_MS) throw error
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return new Promise(() => {})
}
