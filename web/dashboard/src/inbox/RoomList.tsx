import { Skeleton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Me } from '../app/shapes'
import { EmptyState } from '../ui/EmptyState'
import { ErrorState } from '../ui/ErrorState'
import { useIsLate } from '../ui/Loading'
import classes from './Inbox.module.css'
import { RoomRow } from './RoomRow'
import { useRooms } from './useRooms'
import { VIEWS, type View } from './views'

const ROW_PX = 72
const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f']

interface RoomListProps {
  me: Me
  view: View
  room: string | undefined
}

export function RoomList({ me, view, room }: RoomListProps) {
  const words = useTranslations('inbox')
  const [text, setText] = useState('')
  const [searched] = useDebouncedValue(text, 200)
  return (
    <section className={classes.list} aria-label={words('title')}>
      <nav className={classes.views} aria-label={words('views')}>
        {VIEWS.map((it) => (
          <Link
            key={it}
            to={`/inbox/${it}`}
            className={classes.view ?? ''}
            aria-current={it === view ? 'page' : undefined}
          >
            {words(`view.${it}`)}
          </Link>
        ))}
      </nav>
      <div className={classes.search}>
        <TextInput
          type="search"
          aria-label={words('search')}
          placeholder={words('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Rows me={me} view={view} room={room} text={searched} />
    </section>
  )
}

function Rows({ me, view, room, text }: RoomListProps & { text: string }) {
  const words = useTranslations('inbox')
  const { rows, error, isPending, refetch, hasNextPage, isFetching, fetchNextPage } = useRooms(
    me,
    view,
    text,
  )
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => rows[index]?.room_id ?? index,
  })
  const shown = virtual.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetching && last >= rows.length - 10) void fetchNextPage()
  }, [last, rows.length, hasNextPage, isFetching, fetchNextPage])
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (isPending) return <Skeletons />
  if (rows.length === 0 && !hasNextPage) {
    return <EmptyState title={words(text ? 'nothingFound' : `empty.${view}`)} />
  }
  return (
    <div ref={scroll} className={classes.scroll}>
      <ul
        className={classes.rows}
        aria-label={words('conversations')}
        style={{ blockSize: virtual.getTotalSize() }}
      >
        {shown.map(({ index, key, start }) => {
          const row = rows[index]
          return (
            row && (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={classes.item}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={hasNextPage ? -1 : rows.length}
                aria-posinset={index + 1}
              >
                <RoomRow row={row} view={view} isHere={row.room_id === room} />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

function Skeletons() {
  const isLate = useIsLate()
  return (
    <div aria-busy="true">
      {isLate && SKELETONS.map((it) => <Skeleton key={it} height={ROW_PX - 16} m="xs" />)}
    </div>
  )
}
