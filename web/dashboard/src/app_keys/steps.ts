// The steps of a secret key rotation, during which no receiver rejects a webhook.
import type { KeyChange } from '../app/shapes'

export const STEPS = ['stage', 'promote', 'retire'] as const
export type Step = (typeof STEPS)[number]

/** An action on the keys. Each requires the password. */
export type KeyAction = Step | 'reveal' | 'unstage' | 'rotate'

/** State of a step: completed, next, or later. */
export type StepState = 'done' | 'now' | 'later'

/** Returns the running rotation. After the old key expired, the rotation is complete. */
export function runningChange(change: KeyChange | null, now: number): KeyChange | null {
  const ends = change?.ends_at ? Date.parse(change.ends_at) : Number.POSITIVE_INFINITY
  return ends > now ? change : null
}

export function stepStateOf(step: Step, change: KeyChange | null): StepState {
  const taken = change === null ? 0 : change.step === 'staged' ? 1 : 2
  const at = STEPS.indexOf(step)
  return at < taken ? 'done' : at === taken ? 'now' : 'later'
}

/** Returns the phase for which receivers get instructions; `before` without a rotation. */
export function phaseOf(change: KeyChange | null): 'before' | KeyChange['step'] {
  return change?.step ?? 'before'
}
