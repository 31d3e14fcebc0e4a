import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { call } from '../../../shared/call'
import type { Contact, Data, Me, Row } from '../app/shapes'
import { Properties } from '../context/Properties'
import { isMine, mayAssign } from '../conversation/lock'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Loading } from '../ui/feedback/Loading'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { ContactActions } from './ContactActions'
import { ContactFacts } from './ContactFacts'
import { ContactRoom } from './ContactRoom'
import classes from './Contacts.module.css'

/** One customer: details, properties and all conversations. */
export function ContactPage({ me, id }: { me: Me; id: string }) {
  const words = useTranslations('contacts')
  const path = `/api/v2/contacts/${encodeURIComponent(id)}`
  const contact = useQuery({
    queryKey: ['live', 'contact', Number(id)],
    queryFn: async () => (await call<Data<{ contact: Contact }>>('GET', path)).data.contact,
  })
  const rooms = useQuery({
    queryKey: ['live', 'contact_rooms', id],
    queryFn: async () =>
      (await call<Data<{ customer_rooms: Row[] }>>('GET', `${path}/rooms`)).data.customer_rooms,
  })
  const { error } = contact
  if (error && !contact.data) {
    const retry = () => void Promise.all([contact.refetch(), rooms.refetch()])
    return (
      <Screen title={words('title')}>
        <ErrorState error={error} onRetry={retry} />
      </Screen>
    )
  }
  if (!contact.data) return <Loading />
  const { data } = contact
  // Admins and supervisors may rename a customer, as may the agents assigned to one of their rooms.
  const mayRename = mayAssign(me) || rooms.data?.some((row) => isMine(me, row))
  return (
    <Screen title={data.name} actions={<Back />}>
      <div className={classes.columns}>
        <Part title={words('who')}>
          {data.is_blocked && (
            <Group>
              <Badge color="red" variant="outline" className={classes.blocked ?? ''}>
                {words('blocked')}
              </Badge>
            </Group>
          )}
          <ContactFacts contact={data} isFixed={!mayRename} />
          <ContactActions me={me} contact={data} room={rooms.data?.[0]} />
        </Part>
        <Part title={words('everywhere')}>
          <Properties me={me} contact={data.id} />
        </Part>
      </div>
      <Part title={words('conversations')}>
        {rooms.error && !rooms.data && (
          <ErrorState error={rooms.error} onRetry={() => void rooms.refetch()} />
        )}
        {rooms.isPending && <SkeletonRows count={2} height={96} />}
        {rooms.data?.length === 0 && <Text className="muted">{words('noRooms')}</Text>}
        <ul className={classes.cards} aria-label={words('conversations')}>
          {rooms.data?.map((row) => (
            <ContactRoom key={row.room_id} row={row} />
          ))}
        </ul>
      </Part>
    </Screen>
  )
}

function Back() {
  const words = useTranslations('contacts')
  return (
    <Anchor component={Link} href="/contacts">
      {words('all')}
    </Anchor>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  )
}
