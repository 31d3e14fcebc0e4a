import { VisuallyHidden } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { Redirect, useSearch } from 'wouter'
import type { Me } from '../app/shapes'
import { Conversation } from '../conversation/Conversation'
import { useRow } from '../live/useRow'
import { Boundary } from '../ui/feedback/Boundary'
import { EmptyState } from '../ui/feedback/EmptyState'
import { useTitle } from '../ui/useTitle'
import { filtersOf } from './filters'
import classes from './Inbox.module.css'
import { RoomList } from './RoomList'
import { useReadMark } from './useReadMark'
import { isView } from './views'

interface InboxProps {
  me: Me
  view: string | undefined
  room: string | undefined
}

/** The inbox screen: the list of conversations and the open conversation. */
export function Inbox({ me, view, room }: InboxProps) {
  const words = useTranslations('inbox')
  const search = useSearch()
  const filters = useMemo(() => filtersOf(search), [search])
  const { data: row } = useRow(room)
  useTitle(row?.name ?? '', words('title'))
  useReadMark(row)
  if (!isView(view)) return <Redirect to="/inbox/mine" replace />
  return (
    <main className={classes.inbox} data-has-room={room !== undefined}>
      <VisuallyHidden>
        <h1>{words('title')}</h1>
      </VisuallyHidden>
      <RoomList me={me} view={view} room={room} filters={filters} />
      <div className={classes.main} id="main" data-region tabIndex={-1}>
        {room === undefined ? (
          <EmptyState title={words('chooseOne')} />
        ) : (
          <Boundary name={room}>
            <Conversation key={room} me={me} room={room} view={view} />
          </Boundary>
        )}
      </div>
    </main>
  )
}
