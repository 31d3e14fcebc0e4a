import { useMantineColorScheme } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { call, withQuery } from '../../../shared/call'
import { mayOpen, SCREEN_ROUTES } from '../app/screen_routes'
import type { Me, RoomPage, Row } from '../app/shapes'
import { VIEWS } from '../inbox/views'
import { useSignOut } from '../me/useSignOut'
import { isApple, useKeys } from './KeysProvider'
import { formatChord, type KeyName } from './keys'

export interface Command {
  id: string
  text: string
  group: 'deeds' | 'conversations' | 'places' | 'me'
  /** Shortcut of the command. */
  key?: string | undefined
  run: () => void
}

const VIEW_KEYS = {
  mine: 'viewMine',
  unassigned: 'viewUnassigned',
  bot: 'viewBot',
  all: 'viewAll',
  resolved: 'viewResolved',
} as const

/** Returns the commands that match a text. */
export function useCommands(me: Me, text: string, onHelp: () => void): Command[] {
  const words = useTranslations('keys')
  const inbox = useTranslations('inbox')
  const mine = useTranslations('me')
  const shell = useTranslations('shell')
  const { keys, availableActions, run } = useKeys()
  const [, go] = useLocation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const rows = useMatchingRooms(me, text)
  const keyOf = (name: KeyName) => keys[name] && formatChord(keys[name], isApple)
  const given: Command[] = [
    ...availableActions().map((action) => ({
      id: action,
      text: words(`names.${action}`),
      group: 'deeds' as const,
      key: keyOf(action) ?? undefined,
      run: () => run(action),
    })),
    ...VIEWS.map((view) => ({
      id: view,
      text: words('goTo', { name: inbox(`view.${view}`) }),
      group: 'places' as const,
      key: keyOf(VIEW_KEYS[view]) ?? undefined,
      run: () => go(`/inbox/${view}`),
    })),
    ...SCREEN_ROUTES.filter((place) => place.isLinked && mayOpen(place, me)).map(
      ({ to, word }) => ({
        id: to,
        text: words('goTo', { name: shell(word) }),
        group: 'places' as const,
        run: () => go(to),
      }),
    ),
    { id: 'me', text: mine('account'), group: 'me', run: () => go('/me') },
    { id: 'help', text: words('title'), group: 'me', key: keyOf('help') ?? undefined, run: onHelp },
    {
      id: 'colours',
      text: mine(colorScheme === 'dark' ? 'toLight' : 'toDark'),
      group: 'me',
      run: () => setColorScheme(colorScheme === 'dark' ? 'light' : 'dark'),
    },
    { id: 'sign-out', text: mine('signOut'), group: 'me', run: () => signOut.mutate() },
  ]
  const wanted = text.trim().toLowerCase()
  const found = given.filter((it) => it.text.toLowerCase().includes(wanted))
  const rooms = rows.map((row) => ({
    id: `room-${row.room_id}`,
    text: row.name,
    group: 'conversations' as const,
    run: () => go(`/inbox/${row.is_resolved ? 'resolved' : 'all'}/${row.room_id}`),
  }))
  return [...found, ...rooms, ...searched(text.trim())]

  function searched(q: string): Command[] {
    if (q === '') return []
    const run = () => go(`/search?${new URLSearchParams({ q })}`)
    return [{ id: 'search', text: inbox('searchAll', { q }), group: 'places', run }]
  }
}

const FOUND_MAX = 8

/** Returns conversations whose name matches, or cached ones if the text is too short. */
function useMatchingRooms(me: Me, text: string): Row[] {
  const queries = useQueryClient()
  const wanted = text.trim()
  const { data } = useQuery({
    queryKey: ['found', me.user.id, wanted],
    queryFn: ({ signal }) => {
      const path = withQuery('/api/v2/customer_rooms', { text: wanted, limit: FOUND_MAX })
      return call<RoomPage>('GET', path, undefined, signal)
    },
    enabled: wanted.length >= 2,
    staleTime: 10_000,
    gcTime: 60_000,
  })
  if (wanted.length >= 2) return data?.data.customer_rooms ?? []
  const known = queries.getQueriesData<Row>({ queryKey: ['live', 'room'] })
  return known.flatMap(([, row]) => row ?? []).slice(0, FOUND_MAX)
}
