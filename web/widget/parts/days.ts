import type { Chat } from '../state/chat'

const DAY_MS = 86_400_000

/** Returns the name of a day: today, yesterday or the date. */
export function dayOf(chat: Chat, timestamp: string): string {
  const date = new Date(timestamp)
  const daysAgo = Math.round((midnight(new Date()) - midnight(date)) / DAY_MS)
  if (daysAgo === 0) return chat.translate('today')
  if (daysAgo === 1) return chat.translate('yesterday')
  return date.toLocaleDateString(chat.language.value, { dateStyle: 'long' })
}

export function timeOf(chat: Chat, timestamp: string): string {
  return new Date(timestamp).toLocaleTimeString(chat.language.value, { timeStyle: 'short' })
}

function midnight(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0)
}
