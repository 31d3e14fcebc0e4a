// The audit actions for which this page has texts. Newer servers may have others.

const SUBJECTS = {
  agent: ['created', 'changed', 'deleted', 'forced_offline', 'signed_out', 'link_made'],
  division: ['created', 'changed', 'deleted'],
  settings: ['changed'],
  office_hours: ['changed'],
  keys: ['revealed', 'staged', 'unstaged', 'promoted', 'retired', 'rotated'],
  channel: ['created', 'changed', 'deleted', 'key_rotated'],
  widget: ['changed'],
  bot: ['changed'],
  endpoint: ['changed', 'paused', 'resumed', 'deleted'],
  button: ['created', 'changed', 'deleted'],
  delivery: ['replayed'],
  canned_reply: ['created', 'changed', 'deleted'],
  tag: ['changed', 'merged', 'deleted'],
  contact: ['blocked', 'unblocked', 'exported', 'erased'],
} as const

export type Subject = keyof typeof SUBJECTS
type DeedsOf<S extends Subject> = `${S}.${(typeof SUBJECTS)[S][number]}`
/** An audit action, as subject and verb: `agent.created`. */
export type Deed = { [S in Subject]: DeedsOf<S> }[Subject]

export const SUBJECT_NAMES = Object.keys(SUBJECTS) as Subject[]

export function deedsOf(subject: Subject): Deed[] {
  return SUBJECTS[subject].map((deed) => `${subject}.${deed}` as Deed)
}

const KNOWN: ReadonlySet<string> = new Set(SUBJECT_NAMES.flatMap(deedsOf))

export const isDeed = (what: string): what is Deed => KNOWN.has(what)

export const isSubject = (what: string): what is Subject => Object.hasOwn(SUBJECTS, what)
