import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { ErrorState } from '../ui/ErrorState'
import { Screen } from '../ui/Screen'
import { part } from './part'
import { mayGo, type Place } from './places'
import type { Me } from './shapes'

/** The screen of each path. Screens are loaded when they are opened. */
const SCREENS: Record<string, ComponentType<{ me: Me }>> = {
  '/contacts/:contact?': part(() => import('../contacts/Contacts')),
  '/board': part(() => import('../board/BoardScreen')),
  '/people/:person?': part(() => import('../people/People')),
  '/tools/:part?': part(() => import('../tools/ToolsScreen')),
  '/channels': part(() => import('../channels/ChannelsScreen')),
  '/channels/widget': part(() => import('../channels/widget/WidgetScreen')),
  '/channels/connect/:kind': part(() => import('../channels/services/ConnectScreen')),
  '/channels/:id': part(() => import('../channels/services/ServiceScreen')),
  '/bot': part(() => import('../bot/BotScreen')),
  '/webhooks': part(() => import('../webhooks/WebhooksScreen')),
  '/webhooks/deliveries/:id?': part(() => import('../deliveries/DeliveriesScreen')),
  '/analytics': part(() => import('../analytics/AnalyticsScreen')),
  '/settings': part(() => import('../settings/SettingsScreen')),
  '/keys': part(() => import('../app_keys/KeysScreen')),
  '/audit': part(() => import('../audit/AuditScreen')),
  '/start': part(() => import('../start/Start')),
  '/me': part(() => import('../me/Myself')),
  '/search': part(() => import('../search/SearchScreen')),
}

/** The screen of a path, or an error if the user may not open it. */
export default function PlaceScreen({ me, place }: { me: Me; place: Place }) {
  const words = useTranslations()
  const Shown = SCREENS[place.path]
  if (Shown && mayGo(place, me)) return <Shown me={me} />
  return (
    <Screen title={words(`shell.${place.word}`)}>
      <ErrorState error={new CallError(403, words(`states.${place.who}`))} />
    </Screen>
  )
}
