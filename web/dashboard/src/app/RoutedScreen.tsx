import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Screen } from '../ui/Screen'
import { lazyPart } from './lazyPart'
import { mayOpen, type ScreenRoute } from './screen_routes'
import type { Me } from './shapes'

/** The screen of each path. Screens are loaded when they are opened. */
const SCREENS: Record<string, ComponentType<{ me: Me }>> = {
  '/contacts/:contact?': lazyPart(() => import('../contacts/Contacts')),
  '/board': lazyPart(() => import('../board/BoardScreen')),
  '/people/:person?': lazyPart(() => import('../people/People')),
  '/tools/:part?': lazyPart(() => import('../tools/ToolsScreen')),
  '/channels': lazyPart(() => import('../channels/ChannelsScreen')),
  '/channels/widget': lazyPart(() => import('../channels/widget/WidgetScreen')),
  '/channels/connect/:kind': lazyPart(() => import('../channels/providers/ConnectScreen')),
  '/channels/:id': lazyPart(() => import('../channels/providers/ProviderScreen')),
  '/bot': lazyPart(() => import('../bot/BotScreen')),
  '/webhooks': lazyPart(() => import('../webhooks/WebhooksScreen')),
  '/webhooks/deliveries/:id?': lazyPart(() => import('../deliveries/DeliveriesScreen')),
  '/analytics': lazyPart(() => import('../analytics/AnalyticsScreen')),
  '/settings': lazyPart(() => import('../settings/SettingsScreen')),
  '/keys': lazyPart(() => import('../app_keys/KeysScreen')),
  '/audit': lazyPart(() => import('../audit/AuditScreen')),
  '/start': lazyPart(() => import('../start/Start')),
  '/me': lazyPart(() => import('../me/AccountScreen')),
  '/search': lazyPart(() => import('../search/SearchScreen')),
}

/** The screen of a path, or an error if the user may not open it. */
export default function RoutedScreen({ me, route }: { me: Me; route: ScreenRoute }) {
  const words = useTranslations()
  const ScreenComponent = SCREENS[route.path]
  if (ScreenComponent && mayOpen(route, me)) return <ScreenComponent me={me} />
  return (
    <Screen title={words(`shell.${route.word}`)}>
      <ErrorState error={new CallError(403, words(`states.${route.who}`))} />
    </Screen>
  )
}
