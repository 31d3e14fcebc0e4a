import './shell_styles'
import { Group, Text } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Link, Redirect, Route, Switch, useRoute } from 'wouter'
import { Inbox } from '../inbox/Inbox'
import { UnseenProvider } from '../inbox/UnseenProvider'
import { KeyParts } from '../keys/KeyParts'
import { KeysProvider } from '../keys/KeysProvider'
import { ConnectionBar } from '../live/ConnectionBar'
import { LiveProvider } from '../live/LiveProvider'
import { OutboxProvider } from '../live/OutboxProvider'
import { AvailabilitySwitch } from '../me/AvailabilitySwitch'
import { MyMenu } from '../me/MyMenu'
import { Notifier } from '../me/Notifier'
import { Bar } from '../ui/Bar'
import { Loading } from '../ui/Loading'
import { PreferencesProvider } from './PreferencesProvider'
import { part } from './part'
import classes from './Shell.module.css'
import type { Me } from './shapes'

const Myself = part(() => import('../me/Myself'))
const Contacts = part(() => import('../contacts/Contacts'))
const People = part(() => import('../people/People'))
const Start = part(() => import('../start/Start'))
const WidgetScreen = part(() => import('../channels/widget/WidgetScreen'))

/** The frame around every screen: where one can go, and who one is. */
export default function Shell({ me }: { me: Me }) {
  const words = useTranslations('shell')
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
            <Place to="/inbox">{words('inbox')}</Place>
            <Place to="/contacts">{words('contacts')}</Place>
            {me.may.includes('people.read') && <Place to="/people">{words('people')}</Place>}
            {me.may.includes('channels') && <Place to="/channels">{words('channels')}</Place>}
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
            <Route path="/contacts/:contact?">
              {({ contact }) => <Contacts me={me} contact={contact} />}
            </Route>
            <Route path="/me">
              <Myself me={me} />
            </Route>
            {me.may.includes('people.read') && (
              <Route path="/people/:person?">
                {({ person }) => <People me={me} person={person} />}
              </Route>
            )}
            {me.may.includes('settings') && (
              <Route path="/start">
                <Start me={me} />
              </Route>
            )}
            {me.may.includes('channels') && (
              <Route path="/channels/:channel?">
                <WidgetScreen me={me} />
              </Route>
            )}
            <Route>
              <Redirect to="/inbox" replace />
            </Route>
          </Switch>
        </Suspense>
      </div>
    </Providers>
  )
}

/** What every screen asks for, from the outside in. */
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

/** What is wrong now, read aloud when it changes. */
function Bars({ me }: { me: Me }) {
  const words = useTranslations('connection')
  return (
    <div role="status">
      <ConnectionBar />
      {me.user.force_offline && <Bar isBad text={words('forcedOffline')} />}
    </div>
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
