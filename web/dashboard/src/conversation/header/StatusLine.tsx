import { Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { Row } from '../../app/shapes'
import classes from '../Conversation.module.css'

/** The conversation's channel and assigned agents, and how long the customer has waited or the
 * conversation has been open. */
export function StatusLine({ row }: { row: Row }) {
  const words = useTranslations('conversation')
  const names = row.agents.map((agent) => agent.name).join(', ')
  const who = row.is_resolved
    ? row.resolved_by
      ? words('resolvedBy', { name: row.resolved_by.name })
      : words('resolved')
    : names
      ? words('servedBy', { names })
      : words(row.is_handled_by_bot ? 'withBot' : 'nobody')
  const since = useSince(row)
  const parts = [row.channel_name || row.source, who, since].filter(Boolean)
  return (
    <Text size="sm" className={`${classes.standing} muted`}>
      {parts.join(' · ')}
    </Text>
  )
}

function useSince(row: Row): string | null {
  const words = useTranslations('conversation')
  const format = useFormatter()
  if (row.is_resolved) return null
  const [key, at] = row.waiting_since
    ? (['waitingSince', row.waiting_since] as const)
    : (['openSince', row.opened_at] as const)
  if (!at) return null
  const time = new Date(at)
  const isToday = time.toDateString() === new Date().toDateString()
  const day = isToday ? {} : ({ dateStyle: 'medium' } as const)
  return words(key, { time: format.dateTime(time, { ...day, timeStyle: 'short' }) })
}
