import '@mantine/core/styles/Table.css'
import { Table, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { AuditEntry } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import classes from './Audit.module.css'
import { isAction } from './actions'
import { differencesOf } from './differences'

const KINDS = ['secret_key', 'command_line', 'server'] as const

/** An audit entry: actor, action, target, time, address, and the changed fields. */
export function Entry({ entry }: { entry: AuditEntry }) {
  const words = useTranslations('audit')
  const { at, actor, actor_kind, what, target, address } = entry
  const kind = KINDS.find((it) => it === actor_kind)
  const who = actor?.name ?? (kind ? words(`kinds.${kind}`) : words('somebody'))
  const deed = isAction(what) ? words(`deeds.${what}`) : what
  const whom = target.name ?? (target.id === '' ? null : target.id)
  return (
    <li className={classes.entry}>
      <Text fw={600}>
        {deed}
        {whom !== null && ` · ${whom}`}
      </Text>
      <Text size="sm" className="muted">
        {who} · <DateTime at={at} />
        {address && ` · ${address}`}
      </Text>
      <Differences entry={entry} label={words('changed', { deed })} />
    </li>
  )
}

function Differences({ entry, label }: { entry: AuditEntry; label: string }) {
  const words = useTranslations('audit')
  const differences = differencesOf(entry)
  if (differences.length === 0) return null
  return (
    <Table className={classes.differences ?? ''} aria-label={label} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words('name')}</Table.Th>
          <Table.Th>{words('before')}</Table.Th>
          <Table.Th>{words('after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differences.map(({ name, before, after }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{before ?? '–'}</Table.Td>
            <Table.Td>{after ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
