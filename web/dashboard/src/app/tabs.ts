// Messages between the tabs of a browser, which save requests to the server.
import type { Me } from './shapes'

export type TabMessage = { is: 'signed-out' } | { is: 'me'; user: Partial<Me['user']> }

const CHANNEL = 'confab-me'

export function postToTabs(message: TabMessage): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(message)
  tabs.close()
}

/** Subscribes to messages of other tabs. Returns a function that unsubscribes. */
export function subscribeToTabs(listener: (told: TabMessage) => void): () => void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.onmessage = ({ data }) => listener(data as TabMessage)
  return () => tabs.close()
}
