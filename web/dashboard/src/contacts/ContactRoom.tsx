import { Anchor, Badge, Group, Title } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Row } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import { History } from '../context/History'
import { Infos } from '../context/Infos'
import classes from './Contacts.module.css'

/** One room of a customer: state, details and conversations. */
export function ContactRoom({ row }: { row: Row }) {
  const words = useTranslations('contacts')
  const context = useTranslations('context')
  const name = row.channel_name || row.source
  const view = row.is_resolved ? 'resolved' : 'all'
  return (
    <li className={classes.card}>
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <Title order={3} size="h5">
            {name}
          </Title>
          <Badge variant="outline" color={row.is_resolved ? 'gray' : 'teal'}>
            {words(row.is_resolved ? 'resolved' : 'open')}
          </Badge>
          <span className={`${classes.small} muted`}>
            {row.last_comment_timestamp && <DateTime at={row.last_comment_timestamp} />}
          </span>
        </Group>
        <Anchor component={Link} href={`/inbox/${view}/${row.room_id}`} size="sm">
          {words('openRoom')}
        </Anchor>
      </Group>
      <div className={classes.columns}>
        <section aria-label={`${context('infos')}: ${name}`}>
          <Title order={4} size="h6" mb="xs">
            {context('infos')}
          </Title>
          <Infos row={row} />
        </section>
        <section aria-label={`${context('history')}: ${name}`}>
          <Title order={4} size="h6" mb="xs">
            {context('history')}
          </Title>
          <History row={row} />
        </section>
      </div>
    </li>
  )
}
