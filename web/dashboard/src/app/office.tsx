import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { ErrorState } from '../ui/ErrorState'
import { part } from './part'
import type { Me } from './shapes'

interface Place {
  /** Where its link leads to. */
  to: string
  path: string
  word: 'board' | 'webhooks' | 'deliveries' | 'analytics'
  /** What `me.may` must have. */
  right: string
  /** Who has that, in a sentence. */
  who: 'onlyAdmins' | 'onlyOffice'
  Screen: ComponentType<{ me: Me }>
}

/** The screens of those who run the office, each fetched when it is opened. */
export const OFFICE: Place[] = [
  {
    to: '/board',
    path: '/board',
    word: 'board',
    right: 'board',
    who: 'onlyOffice',
    Screen: part(() => import('../board/BoardScreen')),
  },
  {
    to: '/webhooks',
    path: '/webhooks',
    word: 'webhooks',
    right: 'webhooks',
    who: 'onlyAdmins',
    Screen: part(() => import('../webhooks/WebhooksScreen')),
  },
  {
    to: '/webhooks/deliveries',
    path: '/webhooks/deliveries/:id?',
    word: 'deliveries',
    right: 'webhooks',
    who: 'onlyAdmins',
    Screen: part(() => import('../deliveries/DeliveriesScreen')),
  },
  {
    to: '/analytics',
    path: '/analytics',
    word: 'analytics',
    right: 'analytics',
    who: 'onlyOffice',
    Screen: part(() => import('../analytics/AnalyticsScreen')),
  },
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
