import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { ErrorState } from '../ui/ErrorState'
import { Screen } from '../ui/Screen'
import { part } from './part'
import type { Me } from './shapes'

interface Place {
  path: string
  /** Where its link leads to. */
  to: string
  word: Word
  /** Whether there is a link above; others are found in another way. */
  isLinked: boolean
  /** What `me.may` must have. */
  right: string
  /** Who has that, in a sentence. */
  who: 'onlyAdmins' | 'onlyOffice'
  Screen: ComponentType<{ me: Me }>
}

type Word =
  | 'board'
  | 'analytics'
  | 'people'
  | 'start'
  | 'channels'
  | 'bot'
  | 'webhooks'
  | 'deliveries'
  | 'settings'
  | 'audit'

type Load = () => Promise<{ default: ComponentType<{ me: Me }> }>

/** A place for admins, unless more is said. */
function place(word: Word, path: string, screen: Load, more: Partial<Place> = {}): Place {
  const [to, Screen] = [path.replace(/\/:.*/, ''), part(screen)]
  return { word, path, to, Screen, isLinked: true, right: word, who: 'onlyAdmins', ...more }
}

/** The screens of those who run an office, in the order of their links; each is fetched when it is
 * opened. */
export const PLACES: Place[] = [
  place('board', '/board', () => import('../board/BoardScreen'), { who: 'onlyOffice' }),
  place('people', '/people/:person?', () => import('../people/People'), {
    right: 'people.read',
    who: 'onlyOffice',
  }),
  place('start', '/start', () => import('../start/Start'), {
    right: 'settings',
    isLinked: false,
  }),
  place('channels', '/channels', () => import('../channels/ChannelsScreen')),
  place('channels', '/channels/widget', () => import('../channels/widget/WidgetScreen'), {
    isLinked: false,
  }),
  place('bot', '/bot', () => import('../bot/BotScreen')),
  place('webhooks', '/webhooks', () => import('../webhooks/WebhooksScreen')),
  place('deliveries', '/webhooks/deliveries/:id?', () => import('../deliveries/DeliveriesScreen'), {
    right: 'webhooks',
  }),
  place('analytics', '/analytics', () => import('../analytics/AnalyticsScreen'), {
    who: 'onlyOffice',
  }),
  place('settings', '/settings', () => import('../settings/SettingsScreen')),
  place('audit', '/audit', () => import('../audit/AuditScreen')),
]

/** Says who may, instead of the screen. */
export function Forbidden({ of }: { of: Place }) {
  const words = useTranslations()
  return (
    <Screen title={words(`shell.${of.word}`)}>
      <ErrorState error={new CallError(403, words(`states.${of.who}`))} />
    </Screen>
  )
}
