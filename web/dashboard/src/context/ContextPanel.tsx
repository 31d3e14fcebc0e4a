import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { Me, Row } from '../app/shapes'
import classes from './Context.module.css'
import { CustomerFacts } from './CustomerFacts'
import { History } from './History'
import { Infos } from './Infos'
import { Notes } from './Notes'
import { Properties } from './Properties'
import { Tags } from './Tags'
import { Trail } from './Trail'

interface ContextPanelProps {
  me: Me
  row: Row
  /** Counter that rises with each request to add a tag; focuses the tag field. */
  tagRequests: number
}

/** The panel next to a conversation: details of the customer and the conversation. */
export default function ContextPanel({ me, row, tagRequests }: ContextPanelProps) {
  const words = useTranslations('context')
  return (
    <section className={classes.panel} aria-label={words('customer')} data-region tabIndex={-1}>
      <Part title={words('customer')}>
        <CustomerFacts row={row} />
        <Properties me={me} contact={row.contact_id} />
      </Part>
      <Part title={words('infos')}>
        <Infos row={row} />
      </Part>
      <Part title={words('tags')}>
        <Tags row={row} requests={tagRequests} />
      </Part>
      <Part title={words('notes')}>
        <Notes me={me} row={row} />
      </Part>
      <Part title={words('trail')}>
        <Trail room={row.room_id} />
      </Part>
      <Part title={words('history')}>
        <History row={row} />
      </Part>
    </section>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" className={classes.part}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {children}
    </Stack>
  )
}
