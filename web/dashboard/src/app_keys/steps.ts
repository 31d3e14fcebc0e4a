// A new secret key in steps, so that no receiver rejects a webhook meanwhile.
import type { KeyChange } from '../app/shapes'

export const STEPS = ['stage', 'promote', 'retire'] as const
export type Step = (typeof STEPS)[number]

/** What can be done with the keys; each asks for the password. */
export type Deed = Step | 'reveal' | 'unstage' | 'rotate'

/** Where a step stands: taken, to be taken now, or later. */
export type Standing = 'done' | 'now' | 'later'

/** An old key whose end has come does not count any more: the change is over. */
export function underWay(change: KeyChange | null, now: number): KeyChange | null {
  const ends = change?.ends_at ? Date.parse(change.ends_at) : Number.POSITIVE_INFINITY
  return ends > now ? change : null
}

export function standingOf(step: Step, change: KeyChange | null): Standing {
  const taken = change === null ? 0 : change.step === 'staged' ? 1 : 2
  const at = STEPS.indexOf(step)
  return at < taken ? 'done' : at === taken ? 'now' : 'later'
}

/** What receivers are told: nothing while no change is under way. */
export function phaseOf(change: KeyChange | null): 'before' | KeyChange['step'] {
  return change?.step ?? 'before'
}
