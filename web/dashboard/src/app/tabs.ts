// Messages between the tabs of a browser, which save requests to the server.
import type { Me } from './shapes'

export type Told = { is: 'signed-out' } | { is: 'me'; user: Partial<Me['user']> }

const CHANNEL = 'confab-me'

export function tellTabs(told: Told): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(told)
  tabs.close()
}

/** Subscribes to messages of other tabs. Returns a function that unsubscribes. */
export function hearTabs(hearer: (told: Told) => void): () => void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.onmessage = ({ data }) => hearer(data as Told)
  return () => tabs.close()
}
