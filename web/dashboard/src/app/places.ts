/** A screen besides the inbox: its path, link and required right. `PlaceScreen` loads the
 * screens. */
export interface Place {
  path: string
  /** Target of its link. */
  to: string
  word: Word
  /** Whether the navigation has a link to it. */
  isLinked: boolean
  /** Entry of `me.may` that is required to open it; null if all users may. */
  right: string | null
  /** Key of the sentence that says who may open it. */
  who: 'onlyAdmins' | 'onlyOffice'
}

type Word =
  | 'myself'
  | 'search'
  | 'contacts'
  | 'board'
  | 'people'
  | 'tools'
  | 'start'
  | 'channels'
  | 'bot'
  | 'webhooks'
  | 'deliveries'
  | 'analytics'
  | 'settings'
  | 'audit'
  | 'appKeys'

/** Returns a place that only admins may open and that has a link, unless overridden. */
function place(word: Word, path: string, more: Partial<Place> = {}): Place {
  const to = path.replace(/\/:.*/, '')
  return { word, path, to, isLinked: true, right: word, who: 'onlyAdmins', ...more }
}

const OFFICE = { who: 'onlyOffice' } as const
const UNLINKED = { isLinked: false }
const EVERYBODY = { right: null }

/** All places, in the order of their links. */
export const PLACES: Place[] = [
  place('contacts', '/contacts/:contact?', EVERYBODY),
  place('board', '/board', OFFICE),
  place('people', '/people/:person?', { ...OFFICE, right: 'people.read' }),
  place('tools', '/tools/:part?', { ...OFFICE, right: 'conversations.all' }),
  place('channels', '/channels'),
  place('channels', '/channels/widget', UNLINKED),
  place('channels', '/channels/connect/:kind', UNLINKED),
  place('channels', '/channels/:id', UNLINKED),
  place('bot', '/bot'),
  place('webhooks', '/webhooks'),
  place('deliveries', '/webhooks/deliveries/:id?', { right: 'webhooks' }),
  place('analytics', '/analytics', OFFICE),
  place('settings', '/settings'),
  place('appKeys', '/keys', { right: 'keys' }),
  place('audit', '/audit', { right: 'audit' }),
  place('start', '/start', { ...UNLINKED, right: 'settings' }),
  place('myself', '/me', { ...UNLINKED, ...EVERYBODY }),
  place('search', '/search', { ...UNLINKED, ...EVERYBODY }),
]

export const mayGo = ({ right }: Place, me: { may: string[] }): boolean =>
  right === null || me.may.includes(right)
