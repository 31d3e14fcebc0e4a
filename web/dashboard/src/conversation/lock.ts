import type { Me, Row } from '../app/shapes'

/** Why nothing can be written in a conversation, if so. */
export type Lock = 'gone' | 'resolved' | 'bot' | 'nobody' | 'colleague' | 'channelOff'

/** What ends a lock, where whoever looks may do it. */
export type WayOut = 'take' | 'join' | 'takeOver' | 'reopen' | 'back'

const OUT: Record<Lock, WayOut | null> = {
  gone: 'back',
  resolved: 'reopen',
  bot: 'takeOver',
  nobody: 'take',
  colleague: 'join',
  channelOff: null,
}

/** `isGone`: the server shows it to whoever looks no more. `isOff`: nothing goes out by its channel. */
export function lockOf(me: Me, row: Row, isGone = false, isOff = false): Lock | null {
  if (isGone) return 'gone'
  if (row.is_resolved) return 'resolved'
  if (isMine(me, row)) return isOff ? 'channelOff' : null
  if (row.agents.length > 0) return 'colleague'
  return row.is_handled_by_bot ? 'bot' : 'nobody'
}

/** Whether only templates reach the customer: they wrote too long ago, or never (D-0156). */
export const isWindowClosed = ({ source, window_closes_at }: Row): boolean =>
  source === 'wa' && !(Date.parse(window_closes_at ?? '') > Date.now())

/** Agents cannot join a colleague by themselves: whoever serves adds them. */
export function wayOut(me: Me, lock: Lock): WayOut | null {
  return lock === 'colleague' && !mayAssign(me) ? null : OUT[lock]
}

export function isMine(me: Me, row: Row): boolean {
  return row.agents.some((agent) => agent.id === me.user.id)
}

export function mayAssign(me: Me): boolean {
  return me.may.includes('conversations.assign')
}
