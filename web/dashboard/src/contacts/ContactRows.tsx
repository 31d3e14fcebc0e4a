import { Avatar, Badge, Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { initials } from '../../../shared/text'
import type { ListedContact } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import { ErrorState } from '../ui/feedback/ErrorState'
import { useIsLate } from '../ui/feedback/Loading'
import classes from './Contacts.module.css'
import type { ContactQuery } from './useContacts'

const ROW_PX = 64
/** Number of rows before the end of the list at which the next page is loaded. */
const ROWS_AHEAD = 10
const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f']

/** The virtualized rows of the contact list. */
export function ContactRows({ list }: { list: ContactQuery }) {
  const words = useTranslations('contacts')
  const { contacts, hasNextPage, isFetching, fetchNextPage, isPending, isFetchNextPageError } = list
  const frame = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: contacts.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => contacts[index]?.id ?? index,
  })
  const shown = virtual.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0
  const isNear = last >= contacts.length - ROWS_AHEAD
  useEffect(() => {
    if (hasNextPage && !isFetching && isNear && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isNear, isFetchNextPageError, fetchNextPage])
  const isLate = useIsLate()
  if (isPending) {
    return (
      <div className={classes.frame} aria-busy="true">
        {isLate && SKELETONS.map((it) => <Skeleton key={it} height={ROW_PX - 16} my="xs" />)}
      </div>
    )
  }
  return (
    <div ref={frame} className={classes.frame}>
      <ul
        className={classes.rows}
        aria-label={words('title')}
        style={{ blockSize: virtual.getTotalSize() }}
      >
        {shown.map((item) => {
          const contact = contacts[item.index]
          if (!contact) return null
          return (
            <li
              key={item.key}
              className={classes.item}
              aria-setsize={hasNextPage ? -1 : contacts.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <ContactRow contact={contact} />
            </li>
          )
        })}
      </ul>
      {isFetchNextPageError && (
        <ErrorState error={list.error} onRetry={() => void fetchNextPage()} />
      )}
    </div>
  )
}

function ContactRow({ contact }: { contact: ListedContact }) {
  const words = useTranslations('contacts')
  const { id, name, channel_name, rooms, last_seen_at, is_blocked } = contact
  return (
    <Link to={`/contacts/${id}`} className={classes.row ?? ''}>
      <Avatar color="teal" variant="light" aria-hidden>
        {initials(name)}
      </Avatar>
      <span className={classes.text}>
        <span className={classes.line}>{name}</span>
        <span className={`${classes.line} ${classes.small} muted`}>
          {[channel_name, words('rooms', { count: rooms })].filter(Boolean).join(' · ')}
        </span>
      </span>
      {is_blocked && (
        <Badge color="red" variant="outline" className={classes.blocked ?? ''}>
          {words('blocked')}
        </Badge>
      )}
      <span className={`${classes.small} ${classes.when} muted`}>
        {last_seen_at && <DateTime at={last_seen_at} />}
      </span>
    </Link>
  )
}
