import type { TrailStep } from '../app/shapes'

const KINDS = [
  'opened',
  'assigned',
  'taken',
  'left',
  'removed',
  'transferred',
  'returned',
  'resolved',
  'reopened',
  'bot_on',
  'bot_off',
  'rated',
] as const

/** Returns the key of the sentence for a history entry; `other` for kinds that this version does
 * not know. */
export function trailKind({ what }: TrailStep): (typeof KINDS)[number] | 'other' {
  return KINDS.find((kind) => kind === what) ?? 'other'
}
