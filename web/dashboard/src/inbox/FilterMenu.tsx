import { ActionIcon, Button, NativeSelect, Popover, Stack } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ChannelName, Me, Person } from '../app/shapes'
import { ALL_AGENTS, ALL_CHANNELS, choice, useChoices } from '../ui/forms/useChoices'
import { type Filters, NO_FILTERS, SORTS, type Sort } from './filters'
import classes from './Inbox.module.css'

interface FilterMenuProps {
  me: Me
  filters: Filters
  onChange: (changed: Partial<Filters>) => void
}

/** The menu with a list's sort order and filters. */
export function FilterMenu(props: FilterMenuProps) {
  const words = useTranslations('inbox')
  const { channel, tag, agent, sort } = props.filters
  const [isOpen, setOpen] = useState(false)
  const used = [channel !== null, tag !== '', agent !== null, sort !== NO_FILTERS.sort]
  const count = used.filter(Boolean).length
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      withinPortal={false}
      trapFocus
      returnFocus
      shadow="md"
    >
      <div className={classes.filters}>
        <Popover.Target>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={count === 0 ? words('filters') : words('filtersUsed', { count })}
            onClick={() => setOpen(!isOpen)}
          >
            <IconAdjustmentsHorizontal size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        {count > 0 && (
          <span className={classes.filtersUsed} aria-hidden>
            {count}
          </span>
        )}
      </div>
      <Popover.Dropdown aria-label={words('filters')}>
        {isOpen && <Choices {...props} isNarrow={count > 0} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function Choices({ me, filters, onChange, isNarrow }: FilterMenuProps & { isNarrow: boolean }) {
  const words = useTranslations('inbox')
  const anything = { value: '', label: words('anything') }
  const channels = useChoices<{ channels: ChannelName[] }>(ALL_CHANNELS)
  const tags = useChoices<{ id: number; name: string }[]>('/api/v2/tags')
  const isOffice = me.may.includes('conversations.all')
  const agents = useChoices<{ agents: Person[] }>(ALL_AGENTS, isOffice)
  return (
    <Stack gap="sm" w={240}>
      <NativeSelect
        label={words('sort')}
        data={SORTS.map((value) => ({ value, label: words(`sortBy.${value}`) }))}
        value={filters.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value as Sort })}
      />
      <NativeSelect
        label={words('channel')}
        data={[anything, ...(channels?.channels ?? []).map(choice)]}
        value={filters.channel ?? ''}
        onChange={(event) => onChange({ channel: Number(event.currentTarget.value) || null })}
      />
      <NativeSelect
        label={words('tag')}
        data={[anything, ...(tags ?? []).map(({ name }) => ({ value: name, label: name }))]}
        value={filters.tag}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
      />
      {isOffice && (
        <NativeSelect
          label={words('agent')}
          data={[anything, ...(agents?.agents ?? []).map(choice)]}
          value={filters.agent ?? ''}
          onChange={(event) => onChange({ agent: Number(event.currentTarget.value) || null })}
        />
      )}
      {isNarrow && (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTERS, q: filters.q })}>
          {words('clear')}
        </Button>
      )}
    </Stack>
  )
}
