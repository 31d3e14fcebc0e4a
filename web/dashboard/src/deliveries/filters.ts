// The filters of the list, stored in the URL.
import { ERRORS } from './useErrorWords'

export const STANDINGS = ['waiting', 'parked', 'delivered', 'failed'] as const
export type Standing = (typeof STANDINGS)[number]

export interface DeliveryFilters {
  kind: string
  standing: Standing | ''
  error: string
  room: string
  endpoint: string
  /** Start and end as values of `datetime-local` fields, in the browser's time zone. */
  from: string
  until: string
}

export const NO_FILTERS: DeliveryFilters = {
  kind: '',
  standing: '',
  error: '',
  room: '',
  endpoint: '',
  from: '',
  until: '',
}

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Parses the query of a URL. Invalid values are ignored. */
export function filtersOf(search: string): DeliveryFilters {
  const query = new URLSearchParams(search)
  const text = (name: string, pattern: RegExp) => {
    const given = query.get(name) ?? ''
    return pattern.test(given) ? given : ''
  }
  const standing = query.get('standing')
  return {
    kind: text('kind', /^[a-z_]{1,40}$/),
    standing: STANDINGS.find((it) => it === standing) ?? '',
    error: ERRORS.find((it) => it === query.get('error')) ?? '',
    room: text('room', /^\d{1,16}$/),
    endpoint: text('endpoint', /^[\w-]{1,64}$/),
    from: text('from', LOCAL_TIME),
    until: text('until', LOCAL_TIME),
  }
}

/** Returns the query for filters, starting with `?`; empty without filters. */
export function searchOf(filters: DeliveryFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Returns the server's query parameters, with times in UTC. */
export function apiQueryOf(filters: DeliveryFilters): Record<string, string> {
  const { room, from, until, ...same } = filters
  const all = { ...same, room_id: room, from: moment(from), until: moment(until) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Returns the query of a replay: failed deliveries only, unless the user chose a state. */
export function replayQueryOf(filters: DeliveryFilters): Record<string, string> {
  return { standing: 'failed', ...apiQueryOf(filters) }
}

function moment(local: string): string {
  const time = new Date(local)
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
