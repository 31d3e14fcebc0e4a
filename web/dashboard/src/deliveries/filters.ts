// What narrows the list, as it stands in the address.
import { ERRORS } from './useErrorWords'

export const STANDINGS = ['waiting', 'parked', 'delivered', 'failed'] as const
export type Standing = (typeof STANDINGS)[number]

export interface DeliveryFilters {
  kind: string
  standing: Standing | ''
  error: string
  room: string
  endpoint: string
  /** As a field for dates and times has them, in the time of whoever looks. */
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

/** Reads the query of the address. What makes no sense is left out: anybody can write an address. */
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

/** The query that says it, with its `?`; nothing if nothing is narrowed. */
export function searchOf(filters: DeliveryFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** The same for the server, whose times are of no place. */
export function wantedOf(filters: DeliveryFilters): Record<string, string> {
  const { room, from, until, ...same } = filters
  const all = { ...same, room_id: room, from: moment(from), until: moment(until) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** What is sent again: nobody means those that arrived unless they say so. */
export function replayedOf(filters: DeliveryFilters): Record<string, string> {
  return { standing: 'failed', ...wantedOf(filters) }
}

function moment(local: string): string {
  const time = new Date(local)
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
