import '@mantine/core/styles/Table.css'
import { Badge, Button, Table, Text, TextInput } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Agent, Me } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import { AddPerson } from './AddPerson'
import { Divisions } from './Divisions'
import classes from './People.module.css'
import { roleOf, usePeople } from './usePeople'

export function PeopleList({ me }: { me: Me }) {
  const words = useTranslations('people')
  const { data, error, refetch } = usePeople()
  const [text, setText] = useState('')
  const [isAdding, setAdding] = useState(false)
  const mayWrite = me.may.includes('people.write')
  const wanted = text.trim().toLowerCase()
  const found = data?.filter(
    ({ name, email }) =>
      name.toLowerCase().includes(wanted) || email.toLowerCase().includes(wanted),
  )
  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {words('add')}
    </Button>
  )
  return (
    <Screen title={words('title')} actions={add}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      <TextInput
        type="search"
        aria-label={words('search')}
        placeholder={words('search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {!data && !error && <SkeletonRows count={4} height={56} />}
      {found && found.length > 0 && <PeopleTable people={found} />}
      {found?.length === 0 && <Text className="muted">{words('nothingFound')}</Text>}
      {data?.length === 1 && mayWrite && <EmptyState title={words('alone')} />}
      <Divisions mayWrite={mayWrite} />
      <AddPerson isOpen={isAdding} onClose={() => setAdding(false)} />
    </Screen>
  )
}

function PeopleTable({ people }: { people: Agent[] }) {
  const words = useTranslations('people')
  const format = useFormatter()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <section className={classes.wide} tabIndex={0} aria-label={words('title')}>
      <Table miw={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words('name')}</Table.Th>
            <Table.Th>{words('role')}</Table.Th>
            <Table.Th>{words('state')}</Table.Th>
            <Table.Th>{words('serves')}</Table.Th>
            <Table.Th>{words('divisions')}</Table.Th>
            <Table.Th>{words('lastSignIn')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map((person) => (
            <Table.Tr key={person.id}>
              <Table.Th scope="row" fw={600}>
                <Link to={`/people/${person.id}`} className={classes.name ?? ''}>
                  {person.name}
                </Link>
                <Text size="xs" className="muted">
                  {person.email}
                </Text>
              </Table.Th>
              <Table.Td>{words(`roles.${roleOf(person)}`)}</Table.Td>
              <Table.Td>
                <State person={person} />
              </Table.Td>
              <Table.Td>
                {person.customers_max
                  ? words('ofMax', {
                      count: format.number(person.current_customer_count),
                      max: format.number(person.customers_max),
                    })
                  : format.number(person.current_customer_count)}
              </Table.Td>
              <Table.Td>{person.user_roles.map(({ name }) => name).join(', ')}</Table.Td>
              <Table.Td>{person.last_login && <DateTime at={person.last_login} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

export function State({ person }: { person: Agent }) {
  const words = useTranslations('people')
  const state = person.force_offline ? 'forced' : person.is_available ? 'available' : 'away'
  const colour = { forced: 'red', available: 'teal', away: 'gray' }[state]
  return (
    <Badge variant="outline" color={colour} className={classes.state ?? ''}>
      {words(`states.${state}`)}
    </Badge>
  )
}
