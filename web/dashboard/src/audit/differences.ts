import type { AuditEntry } from '../app/shapes'

export interface Difference {
  name: string
  /** Value before the change; null if the field did not exist. After deletion, `after` is null. */
  before: string | null
  after: string | null
}

/** Returns the changed fields of an entry, in the order of their names in the entry. */
export function differencesOf({ before, after }: AuditEntry): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].map((name) => ({
    name,
    before: shown(before, name),
    after: shown(after, name),
  }))
}

function shown(of: Record<string, unknown> | null | undefined, name: string): string | null {
  const value = of?.[name]
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
