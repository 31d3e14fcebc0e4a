import type { Counts, Me, Row } from '../app/shapes'
import type { Filters } from './filters'

/** The views of the inbox. */
export const VIEWS = ['mine', 'unassigned', 'bot', 'all', 'resolved'] as const
export type View = (typeof VIEWS)[number]

type Query = Record<string, string | number | undefined>

const QUERIES: Record<View, (me: Me) => Query> = {
  mine: (me) => ({ agent: me.user.id, status: 'unresolved' }),
  unassigned: () => ({
    serve_status: 'unserved',
    status: 'unresolved',
    is_handled_by_bot: 'false',
  }),
  bot: () => ({ is_handled_by_bot: 'true', status: 'unresolved' }),
  all: () => ({ status: 'unresolved' }),
  resolved: () => ({ status: 'resolved' }),
}

/** The field of the counts with the number of conversations in each view. */
export const COUNT_FIELDS = {
  mine: 'mine',
  unassigned: 'unassigned',
  bot: 'bot',
  all: 'open',
  resolved: 'resolved',
} as const satisfies Record<View, keyof Counts>

export function isView(text: string | undefined): text is View {
  return VIEWS.some((view) => view === text)
}

/** Returns the server's query parameters for a list. */
export function queryOf(view: View, me: Me, { channel, tag, agent, q, sort }: Filters): Query {
  const narrowed: Query = {
    channels: channel === null ? undefined : JSON.stringify([{ channel_id: channel }]),
    tag: tag || undefined,
    text: q.trim() || undefined,
    sort: sort === 'updated' ? undefined : sort,
    limit: 50,
  }
  if (agent !== null) narrowed.agent = agent
  return { ...QUERIES[view](me), ...narrowed }
}

/** Whether a conversation is in a view. */
export function isInView(view: View, me: Me, row: Row): boolean {
  if (view === 'resolved') return row.is_resolved
  if (row.is_resolved) return false
  switch (view) {
    case 'mine':
      return row.agents.some((agent) => agent.id === me.user.id)
    case 'unassigned':
      return row.agents.length === 0 && !row.is_handled_by_bot
    case 'bot':
      return row.is_handled_by_bot
    default:
      return true
  }
}
