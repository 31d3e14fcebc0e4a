import './styles/shell_styles'
import { Group, Text } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { type ReactNode, Suspense, useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { Link, Redirect, Route, Switch, useLocation, useRoute } from 'wouter'
import { Inbox } from '../inbox/Inbox'
import { UnseenProvider } from '../inbox/UnseenProvider'
import { KeyParts } from '../keys/KeyParts'
import { KeysProvider } from '../keys/KeysProvider'
import { restoreFocus } from '../keys/regions'
import { ConnectionBar } from '../live/ConnectionBar'
import { LiveProvider } from '../live/LiveProvider'
import { OutboxProvider } from '../live/OutboxProvider'
import { AvailabilitySwitch } from '../me/AvailabilitySwitch'
import { MyMenu } from '../me/MyMenu'
import { Notifier } from '../me/Notifier'
import { Bar } from '../ui/feedback/Bar'
import { Loading } from '../ui/feedback/Loading'
import { lazyPart } from './lazyPart'
import { PreferencesProvider } from './PreferencesProvider'
import classes from './Shell.module.css'
import { mayOpen, SCREEN_ROUTES } from './screen_routes'
import type { Me } from './shapes'

const RoutedScreen = lazyPart(() => import('./RoutedScreen'))

/** The frame around every screen: the navigation and the user's menu. */
export default function Shell({ me }: { me: Me }) {
  const words = useTranslations('shell')
  const [path] = useLocation()
  // After signing in, and when the screen with the focus was removed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another screen is shown
  useEffect(() => restoreFocus(), [path])
  return (
    <Providers me={me}>
      <Notifications position="top-right" />
      <Notifier me={me} />
      <KeyParts me={me} />
      <div className={classes.shell}>
        <a className="skip" href="#main">
          {words('skip')}
        </a>
        <header className={classes.bar} data-region tabIndex={-1}>
          <Text fw={700} truncate className={classes.name}>
            {me.app.name}
          </Text>
          <nav aria-label={words('navigation')} className={classes.nav}>
            <NavLink to="/inbox">{words('inbox')}</NavLink>
            {SCREEN_ROUTES.map(
              (route) =>
                route.isLinked &&
                mayOpen(route, me) && (
                  <NavLink key={route.to} to={route.to}>
                    {words(route.word)}
                  </NavLink>
                ),
            )}
          </nav>
          <Group gap="sm" wrap="nowrap">
            <AvailabilitySwitch me={me} />
            <MyMenu me={me} />
          </Group>
        </header>
        <Bars me={me} />
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/inbox/:view?/:room?">
              {({ view, room }) => <Inbox me={me} view={view} room={room} />}
            </Route>
            {SCREEN_ROUTES.map((route) => (
              <Route key={route.path} path={route.path}>
                <RoutedScreen me={me} route={route} />
              </Route>
            ))}
            <Route>
              <Redirect to="/inbox" replace />
            </Route>
          </Switch>
        </Suspense>
      </div>
    </Providers>
  )
}

/** The providers that all screens use, from the outside in. */
function Providers({ me, children }: { me: Me; children: ReactNode }) {
  return (
    <PreferencesProvider me={me}>
      <KeysProvider>
        <LiveProvider me={me}>
          <OutboxProvider me={me}>
            <UnseenProvider me={me}>{children}</UnseenProvider>
          </OutboxProvider>
        </LiveProvider>
      </KeysProvider>
    </PreferencesProvider>
  )
}

/** The bars with current problems; changes are announced to screen readers. */
function Bars({ me }: { me: Me }) {
  const words = useTranslations('connection')
  return (
    <div role="status">
      <ConnectionBar />
      {me.user.force_offline && <Bar isBad text={words('forcedOffline')} />}
    </div>
  )
}

function NavLink({ to, children }: { to: string; children: string }) {
  const [isBelow] = useRoute(`${to}/*?`)
  const [isAmongDeliveries] = useRoute('/webhooks/deliveries/*?')
  const isHere = isBelow && (to !== '/webhooks' || !isAmongDeliveries)
  return (
    <Link to={to} className={classes.place ?? ''} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  )
}
