import { Button, Skeleton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { lazyPart } from '../../app/lazyPart'
import type { Me } from '../../app/shapes'
import { useKey } from '../../keys/KeysProvider'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { useIsLate } from '../../ui/feedback/Loading'
import { type Filters, isFiltered, searchOf } from '../filters'
import classes from '../Inbox.module.css'
import { useRooms } from '../useRooms'
import type { View } from '../views'
import { NoRows } from './NoRows'
import { RoomRow } from './RoomRow'
import { useFrozenList } from './useFrozenList'
import { usePickedRooms } from './usePickedRooms'

const BulkBar = lazyPart(() => import('../../bulk/BulkBar'))

const ROW_PX = 84
const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f']
/** Number of rows before the end of the list at which the next page is loaded. */
const ROWS_AHEAD = 10
/** Number of pages that a filtered list with few matches loads without being asked. */
const PAGES_SEARCHED = 5

interface RowsProps {
  me: Me
  view: View
  room: string | undefined
  filters: Filters
}

/** The virtualized list of a view's conversations. */
export function Rows({ me, view, room, filters }: RowsProps) {
  const words = useTranslations('inbox')
  const [, go] = useLocation()
  const list = useRooms(me, view, filters)
  const { error, isPending, refetch, hasNextPage, isFetching, fetchNextPage } = list
  const isStuck = list.isFetchNextPageError
  const frame = useRef<HTMLDivElement>(null)
  // Includes the button that covers the list, so that moving the pointer to it does not unfreeze
  // the order.
  const area = useRef<HTMLDivElement>(null)
  const search = searchOf(filters)
  const { rows, news, release, markRemoved } = useFrozenList(list.rows, area, view + search)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
    getItemKey: (index) => rows[index]?.room_id ?? index,
  })
  const shown = virtual.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0
  const pageLimit = usePageLimit(list.data?.pages.length ?? 0, rows.length, filters)
  useEffect(() => {
    const isNear = last >= rows.length - ROWS_AHEAD
    if (hasNextPage && !isFetching && isNear && pageLimit.isFree && !isStuck) void fetchNextPage()
  }, [last, rows.length, hasNextPage, isFetching, fetchNextPage, pageLimit.isFree, isStuck])

  const open = (at: number) => {
    const row = rows[at]
    if (!row) return
    virtual.scrollToIndex(at)
    go(`/inbox/${view}/${row.room_id}${search}`)
  }
  const here = rows.findIndex((row) => row.room_id === room)
  useKey('next', () => open(here + 1))
  useKey('previous', () => open(here === -1 ? rows.length - 1 : here - 1))

  const { picked, set, toggle } = usePickedRooms(rows, view + search)
  useKey('pick', () => {
    const focused = frame.current?.querySelector<HTMLElement>('li:focus-within')
    toggle(Number(focused?.dataset.index ?? here))
  })

  const isEmpty = rows.length === 0
  return (
    <div ref={area} className={classes.frame}>
      {news > 0 && (
        <Button
          className={classes.news ?? ''}
          size="compact-sm"
          radius="xl"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={() => {
            release()
            virtual.scrollToOffset(0)
          }}
        >
          {words('news', { count: news })}
        </Button>
      )}
      <div ref={frame} className={classes.scroll}>
        {error && isEmpty && <ErrorState error={error} onRetry={refetch} />}
        {isPending && <Skeletons />}
        {isEmpty && !isPending && !error && !(hasNextPage && pageLimit.isFree) && (
          <NoRows me={me} view={view} isNarrow={isFiltered(filters)} />
        )}
        {!isEmpty && (
          <ul
            className={classes.rows}
            aria-label={words('conversations')}
            data-is-picking={picked.size > 0}
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
                    <input
                      type="checkbox"
                      className={classes.pick}
                      aria-label={words('pick', { name: row.name })}
                      checked={picked.has(row.room_id)}
                      // A checkbox changes on a click event, which has the state of the Shift key.
                      onChange={({ nativeEvent }) =>
                        toggle(index, (nativeEvent as MouseEvent).shiftKey)
                      }
                    />
                    <RoomRow
                      me={me}
                      row={row}
                      to={`/inbox/${view}/${row.room_id}${search}`}
                      isHere={row.room_id === room}
                    />
                  </li>
                )
              )
            })}
          </ul>
        )}
        {isStuck && !isEmpty && <ErrorState error={error} onRetry={() => void fetchNextPage()} />}
        {hasNextPage && !pageLimit.isFree && (
          <Button variant="default" m="sm" loading={isFetching} onClick={pageLimit.more}>
            {words('further', { count: rows.length })}
          </Button>
        )}
      </div>
      {picked.size > 0 && (
        <Suspense>
          <BulkBar
            me={me}
            view={view}
            filters={filters}
            picked={picked}
            onPick={set}
            onDone={markRemoved}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Limits how many pages a filtered list with few matches loads by itself; `more` raises the
 * limit. */
function usePageLimit(pages: number, rows: number, filters: Filters) {
  const key = searchOf(filters)
  const [allowed, setAllowed] = useState({ key, pages: PAGES_SEARCHED })
  const bound = allowed.key === key ? allowed.pages : PAGES_SEARCHED
  const isDense = rows >= pages * ROWS_AHEAD
  return {
    isFree: !isFiltered(filters) || isDense || pages < bound,
    more: () => setAllowed({ key, pages: pages + PAGES_SEARCHED }),
  }
}

function Skeletons() {
  const isLate = useIsLate()
  return (
    <div aria-busy="true">
      {isLate && SKELETONS.map((it) => <Skeleton key={it} height={ROW_PX - 16} m="xs" />)}
    </div>
  )
}
