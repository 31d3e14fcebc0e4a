import type { Me } from '../app/shapes'

/** The lists of the inbox, and what each asks the server for. */
export const VIEWS = ['mine', 'unassigned', 'bot', 'all', 'resolved'] as const
export type View = (typeof VIEWS)[number]

type Query = Record<string, string | number | undefined>

const ASKS: Record<View, (me: Me) => Query> = {
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

export function isView(text: string | undefined): text is View {
  return VIEWS.some((view) => view === text)
}

/** What a list asks for; `text` is what is searched for in it. */
export function asked(view: View, me: Me, text: string): Query {
  return { ...ASKS[view](me), text: text.trim() || undefined, limit: 50 }
}
