// What one tab tells the others of the same browser, so that they need not ask the server.
import type { Me } from './shapes'

export type Told = { is: 'signed-out' } | { is: 'me'; user: Partial<Me['user']> }

const CHANNEL = 'confab-me'

export function tellTabs(told: Told): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(told)
  tabs.close()
}

/** Hears what other tabs tell, until it is ended. */
export function hearTabs(hearer: (told: Told) => void): () => void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.onmessage = ({ data }) => hearer(data as Told)
  return () => tabs.close()
}
