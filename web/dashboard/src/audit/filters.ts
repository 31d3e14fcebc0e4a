// The filters of the audit log. They are stored in the URL, so that they can be bookmarked and
// shared.
import { isAction, isSubject } from './actions'

export interface AuditFilters {
  actor: number | null
  /** An action, or a subject for all of its actions. */
  what: string
  /** First and last day, such as 2026-11-16, in the browser's time zone. */
  from: string
  until: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Parses the query of a URL. Invalid values are ignored. */
export function filtersOf(search: string): AuditFilters {
  const query = new URLSearchParams(search)
  const actor = query.get('actor') ?? ''
  const what = query.get('what') ?? ''
  return {
    actor: /^[1-9]\d{0,15}$/.test(actor) ? Number(actor) : null,
    what: isAction(what) || isSubject(what) ? what : '',
    from: dayIn(query.get('from')),
    until: dayIn(query.get('until')),
  }
}

/** Returns the query for filters, starting with `?`; empty without filters. */
export function searchOf({ actor, ...days }: AuditFilters): string {
  const given = Object.entries({ actor: actor ? String(actor) : '', ...days })
  const search = new URLSearchParams(given.filter(([, value]) => value !== ''))
  return search.size === 0 ? '' : `?${search}`
}

export const isFiltered = (filters: AuditFilters) => searchOf(filters) !== ''

/** Returns the server's query parameters. Days start and end in the browser's time zone. */
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
