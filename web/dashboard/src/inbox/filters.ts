// The filters of a list. They are stored in the URL, so that they can be bookmarked, shared and
// undone.
import type { Row } from '../app/shapes'

export const SORTS = ['updated', 'waiting'] as const
export type Sort = (typeof SORTS)[number]

export interface Filters {
  channel: number | null
  tag: string
  agent: number | null
  q: string
  sort: Sort
}

export const NO_FILTERS: Filters = { channel: null, tag: '', agent: null, q: '', sort: 'updated' }

const TEXT_MAX = 255
const TAG_MAX = 100

/** Parses the query of a URL. Invalid values are ignored. */
export function filtersOf(search: string): Filters {
  const query = new URLSearchParams(search)
  const sort = query.get('sort')
  return {
    channel: idIn(query.get('channel')),
    tag: (query.get('tag') ?? '').slice(0, TAG_MAX),
    agent: idIn(query.get('agent')),
    q: (query.get('q') ?? '').slice(0, TEXT_MAX),
    sort: SORTS.find((it) => it === sort) ?? NO_FILTERS.sort,
  }
}

/** Returns the query for filters, starting with `?`; empty for the default filters. */
export function searchOf(filters: Filters): string {
  const given = Object.entries(filters).filter(
    ([name, value]) => value !== NO_FILTERS[name as keyof Filters],
  )
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? '' : `?${search}`
}

/** Whether the filters exclude any conversation. */
export function isFiltered({ channel, tag, agent, q }: Filters): boolean {
  return channel !== null || tag !== '' || agent !== null || q.trim() !== ''
}

/** Whether a conversation matches the filters. The server also matches one more name of the
 * customer, so rows that it returned stay in the list. */
export function matchesFilters({ channel, tag, agent, q }: Filters, row: Row): boolean {
  const text = q.trim().toLowerCase()
  return (
    (channel === null || row.channel_id === channel) &&
    (tag === '' || (row.tags ?? []).some((it) => it.name === tag)) &&
    (agent === null || row.agents.some((it) => it.id === agent)) &&
    (text === '' || [row.name, row.user_id].some((name) => name.toLowerCase().includes(text)))
  )
}

function idIn(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null
}
