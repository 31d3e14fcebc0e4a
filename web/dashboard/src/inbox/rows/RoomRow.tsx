import { memo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { initials } from '../../../../shared/text'
import type { Me, Row } from '../../app/shapes'
import { useNow } from '../../ui/useNow'
import classes from '../Inbox.module.css'
import { LastMessage } from './LastMessage'
import { RowTags } from './RowTags'
import { WaitingTime } from './WaitingTime'

interface RoomRowProps {
  me: Me
  row: Row
  to: string
  isHere: boolean
}

/** A conversation in the list. It is memoized because scrolling renders the list for each frame,
 * and uses plain elements because a screen of rows must render within one frame. */
export const RoomRow = memo(function RoomRow({ me, row, to, isHere }: RoomRowProps) {
  const words = useTranslations('inbox')
  const names = row.agents.map((agent) => (agent.id === me.user.id ? words('you') : agent.name))
  const channel = row.channel_name ?? row.source
  const who = names.length > 0 ? words('servedBy', { names: names.join(', ') }) : null
  return (
    <Link
      to={to}
      className={classes.row ?? ''}
      aria-current={isHere ? 'true' : undefined}
      data-is-seen={row.is_seen}
    >
      <span className={classes.avatar} aria-hidden>
        {initials(row.name)}
      </span>
      <span className={classes.text}>
        <span className={`${classes.line} ${classes.name}`}>{row.name}</span>
        <LastMessageTime row={row} />
        <span className={`${classes.line} ${classes.last}`}>
          <LastMessage row={row} />
        </span>
        {row.unread_count > 0 ? (
          <span className={classes.unanswered}>
            <span aria-hidden>{row.unread_count}</span>
            <span className={classes.unseen}>
              {words('unanswered', { count: row.unread_count })}
            </span>
          </span>
        ) : (
          !row.is_seen && (
            <span className={classes.dot}>
              <span className={classes.unseen}>{words('unseen')}</span>
            </span>
          )
        )}
        <span className={`${classes.beside} muted`}>
          <span className={classes.line}>{who === null ? channel : `${channel} · ${who}`}</span>
          <RowTags tags={row.tags ?? []} />
          {row.waiting_since && <WaitingTime me={me} since={row.waiting_since} />}
        </span>
      </span>
    </Link>
  )
})

/** The time of the last message: the time of day if it was today, otherwise the date. */
function LastMessageTime({ row }: { row: Row }) {
  const format = useFormatter()
  const now = new Date(useNow(60_000))
  if (!row.last_comment_timestamp) return null
  const lastAt = new Date(row.last_comment_timestamp)
  const isToday = lastAt.toDateString() === now.toDateString()
  const text = isToday
    ? format.dateTime(lastAt, { timeStyle: 'short' })
    : format.dateTime(lastAt, { day: 'numeric', month: 'short' })
  return (
    <time className={classes.when} dateTime={lastAt.toISOString()}>
      {text}
    </time>
  )
}
