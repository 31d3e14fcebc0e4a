import { Anchor, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link, useLocation } from 'wouter'
import type { Me } from '../app/shapes'
import { FilterMenu } from './FilterMenu'
import { type Filters, searchOf } from './filters'
import classes from './Inbox.module.css'
import { Rows } from './rows/Rows'
import { Views } from './Views'
import type { View } from './views'

interface RoomListProps {
  me: Me
  view: View
  room: string | undefined
  filters: Filters
}

export function RoomList({ me, view, room, filters }: RoomListProps) {
  const words = useTranslations('inbox')
  const [, go] = useLocation()
  const [text, setText] = useState(filters.q)
  useEffect(() => setText(filters.q), [filters.q])
  const narrow = (changed: Partial<Filters>) => {
    const here = room === undefined ? `/inbox/${view}` : `/inbox/${view}/${room}`
    go(here + searchOf({ ...filters, ...changed }), { replace: true })
  }
  const search = useDebouncedCallback((q: string) => narrow({ q }), 200)
  return (
    <section
      className={classes.list}
      aria-label={words('title')}
      data-region
      data-start={room === undefined || undefined}
      tabIndex={-1}
    >
      <Views view={view} search={searchOf(filters)} />
      <div>
        <Group className={classes.search ?? ''} gap="xs" wrap="nowrap">
          <TextInput
            className={classes.searched}
            type="search"
            aria-label={words('search')}
            placeholder={words('search')}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              search(event.currentTarget.value)
            }}
          />
          <FilterMenu me={me} filters={filters} onChange={narrow} />
        </Group>
        {filters.q.trim() !== '' && (
          <Anchor
            component={Link}
            className={classes.searchAll ?? ''}
            size="sm"
            to={messagesOf(filters)}
          >
            {words('searchAll', { q: filters.q.trim() })}
          </Anchor>
        )}
      </div>
      <Rows me={me} view={view} room={room} filters={filters} />
    </section>
  )
}

/** Returns the link to the search screen. The list's filter matches names only; the search screen
 * matches message texts. */
const messagesOf = ({ q }: Filters) => `/search?${new URLSearchParams({ q: q.trim() })}`
