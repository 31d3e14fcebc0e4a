import '@mantine/core/styles/Table.css'
import { Anchor, Button, Table } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { BoardAgent, Me } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import { useIsOffline } from '../live/useIsOffline'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import classes from './Board.module.css'
import { inOrder, loadOf, presenceOf } from './board'
import { useForceOffline } from './useBoard'

/** The table of all agents, with their availability and number of conversations. */
export function People({ me, agents }: { me: Me; agents: BoardAgent[] }) {
  const words = useTranslations('board')
  const mayForce = me.may.includes('people.write')
  return (
    <Table.ScrollContainer minWidth={560} type="native" tabIndex={0}>
      <Table aria-label={words('people')} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words('name')}</Table.Th>
            <Table.Th>{words('state')}</Table.Th>
            <Table.Th>{words('load')}</Table.Th>
            <Table.Th>{words('divisions')}</Table.Th>
            <Table.Th>{words('seen')}</Table.Th>
            {mayForce && <Table.Th>{words('deeds')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {inOrder(agents).map((agent) => (
            <OnePerson key={agent.id} agent={agent} mayForce={mayForce} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const ROLES = ['admin', 'supervisor', 'agent'] as const

function OnePerson({ agent, mayForce }: { agent: BoardAgent; mayForce: boolean }) {
  const words = useTranslations('board')
  const { id, name, divisions, last_seen_at } = agent
  const role = ROLES.find((it) => it === agent.role)
  const presence = presenceOf(agent)
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Anchor
          component={Link}
          to={`/inbox/all?agent=${id}`}
          aria-label={words('conversationsOf', { name })}
        >
          {name}
        </Anchor>
        <div className="muted">{role ? words(`roles.${role}`) : agent.role}</div>
      </Table.Th>
      <Table.Td className={classes.presence} data-presence={presence}>
        {words(`states.${presence}`)}
      </Table.Td>
      <Table.Td>
        <Load agent={agent} />
      </Table.Td>
      <Table.Td>{divisions.join(', ')}</Table.Td>
      <Table.Td>{last_seen_at ? <DateTime at={last_seen_at} /> : words('never')}</Table.Td>
      {mayForce && (
        <Table.Td>
          <Force agent={agent} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function Load({ agent }: { agent: BoardAgent }) {
  const words = useTranslations('board')
  const { serves, serves_max } = agent
  if (!serves_max) return words('servesOnly', { serves })
  const load = loadOf(agent)
  return (
    <div className={classes.load}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
        <rect width={Math.round(load * 100)} height={8} data-is-full={load >= 1} />
      </svg>
      <span>{words('serves', { serves, max: serves_max })}</span>
    </div>
  )
}

function Force({ agent }: { agent: BoardAgent }) {
  const words = useTranslations('board')
  const isOffline = useIsOffline()
  const showDone = useSuccessNotice()
  const force = useForceOffline(agent)
  const { name, force_offline: isForced } = agent
  return (
    <Button
      variant="default"
      size="xs"
      disabled={isOffline}
      loading={force.isPending}
      aria-label={words(isForced ? 'backOf' : 'forceOf', { name })}
      onClick={() =>
        force.mutate(!isForced, {
          onSuccess: () => showDone(words(isForced ? 'letBack' : 'forced', { name })),
        })
      }
    >
      {words(isForced ? 'back' : 'force')}
    </Button>
  )
}
