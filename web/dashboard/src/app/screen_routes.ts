/** A screen besides the inbox: its path, link and required right. `RoutedScreen` loads the
 * screens. */
export interface ScreenRoute {
  path: string
  /** Target of the screen's link in the navigation. */
  to: string
  word: Word
  /** Whether the navigation has a link to it. */
  isLinked: boolean
  /** Entry of `me.may` that is required to open it; null if all users may. */
  right: string | null
  /** Key of the error text that says which roles may open the screen. */
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

/** Returns a route that only admins may open and that has a link, unless overridden. */
function route(word: Word, path: string, more: Partial<ScreenRoute> = {}): ScreenRoute {
  const to = path.replace(/\/:.*/, '')
  return { word, path, to, isLinked: true, right: word, who: 'onlyAdmins', ...more }
}

const OFFICE = { who: 'onlyOffice' } as const
const UNLINKED = { isLinked: false }
const ANY_USER = { right: null }

/** All routes, in the order of their links. */
export const SCREEN_ROUTES: ScreenRoute[] = [
  route('contacts', '/contacts/:contact?', ANY_USER),
  route('board', '/board', OFFICE),
  route('people', '/people/:person?', { ...OFFICE, right: 'people.read' }),
  route('tools', '/tools/:part?', { ...OFFICE, right: 'conversations.all' }),
  route('channels', '/channels'),
  route('channels', '/channels/widget', UNLINKED),
  route('channels', '/channels/connect/:kind', UNLINKED),
  route('channels', '/channels/:id', UNLINKED),
  route('bot', '/bot'),
  route('webhooks', '/webhooks'),
  route('deliveries', '/webhooks/deliveries/:id?', { right: 'webhooks' }),
  route('analytics', '/analytics', OFFICE),
  route('settings', '/settings'),
  route('appKeys', '/keys', { right: 'keys' }),
  route('audit', '/audit', { right: 'audit' }),
  route('start', '/start', { ...UNLINKED, right: 'settings' }),
  route('myself', '/me', { ...UNLINKED, ...ANY_USER }),
  route('search', '/search', { ...UNLINKED, ...ANY_USER }),
]

export const mayOpen = ({ right }: ScreenRoute, me: { may: string[] }): boolean =>
  right === null || me.may.includes(right)
