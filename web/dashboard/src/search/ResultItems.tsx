import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { FoundContact, FoundMessage } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import { piecesOf } from './pieces'
import classes from './Search.module.css'

/** A found message; a click opens it in its conversation. */
export function MessageResult({ message }: { message: FoundMessage }) {
  const words = useTranslations('search')
  const { room_id, comment_id, sender, at, text_cut, matches, row } = message
  const view = row.is_resolved ? 'resolved' : 'all'
  return (
    <li>
      <Link className={classes.found ?? ''} to={`/inbox/${view}/${room_id}?m=${comment_id}`}>
        <Text fw={600} component="span">
          {row.name}
        </Text>
        <Text component="span" className={classes.text ?? ''}>
          {sender.name !== row.name && `${words('said', { name: sender.name })} `}
          {piecesOf(text_cut, matches).map((piece) =>
            piece.isMatch ? <mark key={piece.at}>{piece.text}</mark> : piece.text,
          )}
        </Text>
        <Text size="sm" component="span" className="muted">
          {row.channel_name && `${row.channel_name} · `}
          <DateTime at={at} />
          {row.is_resolved && ` · ${words('resolved')}`}
        </Text>
      </Link>
    </li>
  )
}

export function ContactResult({ contact }: { contact: FoundContact }) {
  const words = useTranslations('search')
  return (
    <li>
      <Link className={classes.found ?? ''} to={`/contacts/${contact.id}`}>
        <Text fw={600} component="span">
          {contact.name}
        </Text>
        <Text size="sm" component="span" className="muted">
          {[contact.channel_name, words('rooms', { count: contact.rooms })].join(' · ')}
          {' · '}
          <DateTime at={contact.last_seen_at} />
        </Text>
      </Link>
    </li>
  )
}
