import type { Me, Row } from '../app/shapes'

/** Reason why an agent cannot reply in a conversation. */
export type Lock = 'gone' | 'resolved' | 'bot' | 'nobody' | 'colleague' | 'channelOff'

/** Action that removes a lock. */
export type UnlockAction = 'take' | 'join' | 'takeOver' | 'reopen' | 'back'

const UNLOCK_ACTIONS: Record<Lock, UnlockAction | null> = {
  gone: 'back',
  resolved: 'reopen',
  bot: 'takeOver',
  nobody: 'take',
  colleague: 'join',
  channelOff: null,
}

/** Returns why the agent cannot reply, or null if they can. `isGone`: the room is no longer visible
 * to the agent. `isOff`: the channel is switched off or deleted. */
export function lockOf(me: Me, row: Row, isGone = false, isOff = false): Lock | null {
  if (isGone) return 'gone'
  if (row.is_resolved) return 'resolved'
  if (isMine(me, row)) return isOff ? 'channelOff' : null
  if (row.agents.length > 0) return 'colleague'
  return row.is_handled_by_bot ? 'bot' : 'nobody'
}

/** Whether only templates reach the customer, because their last message is too old or missing
 * . */
export const isWindowClosed = ({ source, window_closes_at }: Row): boolean =>
  source === 'wa' && !(Date.parse(window_closes_at ?? '') > Date.now())

/** Returns the action that removes a lock, if the agent may perform it. Agents cannot join a
 * colleague's conversation themselves: an assigned agent adds them. */
export function unlockActionOf(me: Me, lock: Lock): UnlockAction | null {
  return lock === 'colleague' && !mayAssign(me) ? null : UNLOCK_ACTIONS[lock]
}

export function isMine(me: Me, row: Row): boolean {
  return row.agents.some((agent) => agent.id === me.user.id)
}

export function mayAssign(me: Me): boolean {
  return me.may.includes('conversations.assign')
}
