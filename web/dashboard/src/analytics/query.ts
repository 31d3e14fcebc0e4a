// The query of the analytics, stored in the URL. The server chooses values for empty fields.
export const STEPS = ['day', 'hour'] as const

export interface AnalyticsQuery {
  from: string
  until: string
  by: (typeof STEPS)[number]
  channel: string
  agent: string
}

export function queryOf(search: string): AnalyticsQuery {
  const given = new URLSearchParams(search)
  const text = (name: string, pattern: RegExp) => {
    const value = given.get(name) ?? ''
    return pattern.test(value) ? value : ''
  }
  return {
    from: text('from', /^\d{4}-\d\d-\d\d$/),
    until: text('until', /^\d{4}-\d\d-\d\d$/),
    by: given.get('by') === 'hour' ? 'hour' : 'day',
    channel: text('channel', /^[1-9]\d{0,15}$/),
    agent: text('agent', /^[1-9]\d{0,15}$/),
  }
}

/** Whether the query restricts dates, channel or agent. */
export const isFiltered = ({ from, until, channel, agent }: AnalyticsQuery): boolean =>
  [from, until, channel, agent].some((it) => it !== '')
