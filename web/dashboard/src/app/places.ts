/** Where one can go beside the inbox. The screens themselves are fetched when one goes there
 * (`PlaceScreen`). */
export interface Place {
  path: string
  /** Where its link leads to. */
  to: string
  word: Word
  /** Whether there is a link above; others are found in another way. */
  isLinked: boolean
  /** What `me.may` must have; nothing if it is for everybody. */
  right: string | null
  /** Who has that, in a sentence. */
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

/** A place for admins that has a link, unless more is said. */
function place(word: Word, path: string, more: Partial<Place> = {}): Place {
  const to = path.replace(/\/:.*/, '')
  return { word, path, to, isLinked: true, right: word, who: 'onlyAdmins', ...more }
}

const OFFICE = { who: 'onlyOffice' } as const
const UNLINKED = { isLinked: false }
const EVERYBODY = { right: null }

/** In the order of their links. */
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
