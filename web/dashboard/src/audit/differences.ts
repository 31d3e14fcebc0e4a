import type { AuditEntry } from '../app/shapes'

export interface Difference {
  name: string
  /** Nothing is null: it was not there, or is not there any more. */
  before: string | null
  after: string | null
}

/** What differs, one line for each name, in the order in which the names come. */
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
