import { Avatar, Badge } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { initials } from '../../../shared/text'
import type { Row } from '../app/shapes'
import { useNow } from '../ui/useNow'
import classes from './Inbox.module.css'
import type { View } from './views'

/** After so long a waiting customer is late, and then very late. */
const AMBER_S = 120
const RED_S = 300

export function RoomRow({ row, view, isHere }: { row: Row; view: View; isHere: boolean }) {
  const words = useTranslations('inbox')
  const format = useFormatter()
  const now = useNow(row.waiting_since ? 1000 : 60_000)
  const said = row.last_comment_timestamp ? new Date(row.last_comment_timestamp) : null
  const waits = row.waiting_since ? (now - Date.parse(row.waiting_since)) / 1000 : null
  return (
    <Link
      to={`/inbox/${view}/${row.room_id}`}
      className={classes.row ?? ''}
      aria-current={isHere ? 'true' : undefined}
    >
      <Avatar color="teal" variant="light" aria-hidden>
        {initials(row.name)}
      </Avatar>
      <span className={classes.text}>
        <b className={classes.line}>{row.name}</b>
        <span className={`${classes.line} muted`}>
          {row.last_comment_text ?? words('noMessage')}
        </span>
        <span className={`${classes.line} muted`}>
          {row.agents.length > 0
            ? words('servedBy', { names: row.agents.map((agent) => agent.name).join(', ') })
            : row.source}
        </span>
      </span>
      <span className={classes.end}>
        {said && <time dateTime={said.toISOString()}>{format.relativeTime(said, now)}</time>}
        {waits !== null && (
          <Badge color={waits > RED_S ? 'red' : waits > AMBER_S ? 'orange' : 'gray'} autoContrast>
            {words('waits', { time: clock(waits) })}
          </Badge>
        )}
        {row.unread_count > 0 && (
          <Badge circle aria-label={words('unanswered', { count: row.unread_count })}>
            {row.unread_count}
          </Badge>
        )}
      </span>
    </Link>
  )
}

/** `1:05:09`, `5:09` */
function clock(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown
    .map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':')
}
