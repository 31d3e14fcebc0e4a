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

/** Which sentence tells a step; one that is newer than this page is named as it is. */
export function trailKind({ what }: TrailStep): (typeof KINDS)[number] | 'other' {
  return KINDS.find((kind) => kind === what) ?? 'other'
}
