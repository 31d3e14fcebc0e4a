import './shell_styles'
import { Group, Text } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { useTranslations } from 'use-intl'
import { Link, Redirect, Route, Switch, useRoute } from 'wouter'
import { Inbox } from '../inbox/Inbox'
import { KeysProvider } from '../keys/KeysProvider'
import { LiveProvider } from '../live/LiveProvider'
import { OutboxProvider } from '../live/OutboxProvider'
import { AvailabilitySwitch } from '../me/AvailabilitySwitch'
import { MyMenu } from '../me/MyMenu'
import { PreferencesProvider } from './PreferencesProvider'
import classes from './Shell.module.css'
import type { Me } from './shapes'

/** The frame around every screen: where one can go, and who one is. */
export default function Shell({ me }: { me: Me }) {
  const words = useTranslations('shell')
  return (
    <PreferencesProvider me={me}>
      <KeysProvider>
        <LiveProvider me={me}>
          <OutboxProvider me={me}>
            <Notifications position="top-right" />
            <div className={classes.shell}>
              <a className="skip" href="#main">
                {words('skip')}
              </a>
              <header className={classes.bar}>
                <Text fw={700} truncate className={classes.name}>
                  {me.app.name}
                </Text>
                <nav aria-label={words('navigation')} className={classes.nav}>
                  <Place to="/inbox">{words('inbox')}</Place>
                </nav>
                <Group gap="sm" wrap="nowrap">
                  <AvailabilitySwitch me={me} />
                  <MyMenu me={me} />
                </Group>
              </header>
              <Switch>
                <Route path="/inbox/:view?/:room?">
                  {({ view, room }) => <Inbox me={me} view={view} room={room} />}
                </Route>
                <Route>
                  <Redirect to="/inbox" replace />
                </Route>
              </Switch>
            </div>
          </OutboxProvider>
        </LiveProvider>
      </KeysProvider>
    </PreferencesProvider>
  )
}

function Place({ to, children }: { to: string; children: string }) {
  const [isHere] = useRoute(`${to}/*?`)
  return (
    <Link to={to} className={classes.place ?? ''} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  )
}
