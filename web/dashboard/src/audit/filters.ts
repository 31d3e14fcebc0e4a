// Which entries are wanted, as it stands in the address: it can be kept and sent to a colleague.
import { isDeed, isSubject } from './deeds'

export interface AuditFilters {
  actor: number | null
  /** A deed, or all of a subject. */
  what: string
  /** Days, like 2026-11-16, of whoever looks. */
  from: string
  until: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads the query of the address; what makes no sense is left out. */
export function filtersOf(search: string): AuditFilters {
  const query = new URLSearchParams(search)
  const actor = query.get('actor') ?? ''
  const what = query.get('what') ?? ''
  return {
    actor: /^[1-9]\d{0,15}$/.test(actor) ? Number(actor) : null,
    what: isDeed(what) || isSubject(what) ? what : '',
    from: dayIn(query.get('from')),
    until: dayIn(query.get('until')),
  }
}

/** The query that says it, with its `?`; nothing if everything is wanted. */
export function searchOf({ actor, ...days }: AuditFilters): string {
  const given = Object.entries({ actor: actor ? String(actor) : '', ...days })
  const search = new URLSearchParams(given.filter(([, value]) => value !== ''))
  return search.size === 0 ? '' : `?${search}`
}

export const areNarrow = (filters: AuditFilters) => searchOf(filters) !== ''

/** As the server takes it: days begin and end where whoever looks is. */
export function queryOf({ actor, what, from, until }: AuditFilters) {
  return { actor: actor ?? undefined, what, from: momentOf(from, 0), until: momentOf(until, 1) }
}

function momentOf(day: string, daysLater: number): string | undefined {
  if (day === '') return undefined
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}

function dayIn(text: string | null): string {
  return text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}
