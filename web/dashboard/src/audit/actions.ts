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
type ActionsOf<S extends Subject> = `${S}.${(typeof SUBJECTS)[S][number]}`
/** An audit action, as subject and verb: `agent.created`. */
export type AuditAction = { [S in Subject]: ActionsOf<S> }[Subject]

export const SUBJECT_NAMES = Object.keys(SUBJECTS) as Subject[]

export function actionsOf(subject: Subject): AuditAction[] {
  return SUBJECTS[subject].map((verb) => `${subject}.${verb}` as AuditAction)
}

const KNOWN: ReadonlySet<string> = new Set(SUBJECT_NAMES.flatMap(actionsOf))

export const isAction = (what: string): what is AuditAction => KNOWN.has(what)

export const isSubject = (what: string): what is Subject => Object.hasOwn(SUBJECTS, what)
