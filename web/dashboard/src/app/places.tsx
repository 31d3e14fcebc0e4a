import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { ErrorState } from '../ui/ErrorState'
import { part } from './part'
import type { Me } from './shapes'

interface Place {
  path: string
  /** Where its link leads to, and what it says; one without is found in another way. */
  link?: { to: string; word: Word }
  /** What `me.may` must have. */
  right: string
  /** Who has that, in a sentence. */
  who: 'onlyAdmins' | 'onlyOffice'
  Screen: ComponentType<{ me: Me }>
}

type Word =
  | 'board'
  | 'channels'
  | 'bot'
  | 'webhooks'
  | 'deliveries'
  | 'settings'
  | 'keys'
  | 'audit'

const admins = (right: string, path: string, screen: Load, word?: Word): Place =>
  place('onlyAdmins', right, path, screen, word)

type Load = () => Promise<{ default: ComponentType<{ me: Me }> }>

function place(
  who: Place['who'],
  right: string,
  path: string,
  screen: Load,
  word?: Word,
): Place {
  const to = path.replace(/\/:.*/, '')
  return { path, right, who, Screen: part(screen), ...(word ? { link: { to, word } } : {}) }
}

/** The screens of those who run an office, in the order of their links; each is fetched when it is
 * opened. */
export const PLACES: Place[] = [
  place('onlyOffice', 'board', '/board', () => import('../board/BoardScreen'), 'board'),
  admins('channels', '/channels', () => import('../channels/ChannelsScreen'), 'channels'),
  admins('channels', '/channels/widget', () => import('../channels/widget/WidgetScreen')),
  admins('bot', '/bot', () => import('../bot/BotScreen'), 'bot'),
  admins('webhooks', '/webhooks', () => import('../webhooks/WebhooksScreen'), 'webhooks'),
  admins(
    'webhooks',
    '/webhooks/deliveries/:id?',
    () => import('../deliveries/DeliveriesScreen'),
    'deliveries',
  ),
  admins('settings', '/settings', () => import('../settings/SettingsScreen'), 'settings'),
  admins('keys', '/keys', () => import('../app_keys/KeysScreen'), 'keys'),
  admins('audit', '/audit', () => import('../audit/AuditScreen'), 'audit'),
]

/** Says who may, instead of the screen. */
export function Forbidden({ of }: { of: Place }) {
  const words = useTranslations('states')
  return (
    <main id="main" data-region tabIndex={-1}>
      <ErrorState error={new CallError(403, words(of.who))} />
    </main>
  )
}
