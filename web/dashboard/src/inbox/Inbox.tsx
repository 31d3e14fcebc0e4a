import { VisuallyHidden } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Redirect } from 'wouter'
import type { Me } from '../app/shapes'
import { Conversation } from '../conversation/Conversation'
import { EmptyState } from '../ui/EmptyState'
import { useTitle } from '../ui/useTitle'
import classes from './Inbox.module.css'
import { RoomList } from './RoomList'
import { isView } from './views'

interface InboxProps {
  me: Me
  view: string | undefined
  room: string | undefined
}

/** The list of conversations on one side, the chosen one on the other. */
export function Inbox({ me, view, room }: InboxProps) {
  const words = useTranslations('inbox')
  useTitle(words('title'))
  if (!isView(view)) return <Redirect to="/inbox/mine" replace />
  return (
    <main id="main" className={classes.inbox} data-has-room={room !== undefined} tabIndex={-1}>
      <VisuallyHidden>
        <h1>{words('title')}</h1>
      </VisuallyHidden>
      <RoomList me={me} view={view} room={room} />
      <div className={classes.main}>
        {room === undefined ? (
          <EmptyState title={words('chooseOne')} />
        ) : (
          <Conversation key={room} me={me} room={room} view={view} />
        )}
      </div>
    </main>
  )
}
