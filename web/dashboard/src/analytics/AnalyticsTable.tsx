import '@mantine/core/styles/Table.css'
import { Table, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { AnalyticsRow } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import { CsvLink } from './CsvLink'
import type { AnalyticsQuery } from './query'
import { duration } from './Series'
import { useAverage } from './useAverage'

interface AnalyticsTableProps {
  of: 'agents' | 'channels'
  rows: AnalyticsRow[]
  query: AnalyticsQuery
}

/** A table with the numbers of each agent or channel. */
export function AnalyticsTable({ of, rows, query }: AnalyticsTableProps) {
  const words = useTranslations('analytics')
  const average = useAverage()
  return (
    <Part title={words(of)}>
      {rows.length === 0 && <Text className="muted">{words('noRows')}</Text>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={760} type="native" tabIndex={0}>
          <Table aria-label={words(of)}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words('name')}</Table.Th>
                <Table.Th>{words('opened')}</Table.Th>
                <Table.Th>{words('resolved')}</Table.Th>
                <Table.Th>{words('messages_in')}</Table.Th>
                <Table.Th>{words('messages_out')}</Table.Th>
                <Table.Th>{words('firstReplyMedian')}</Table.Th>
                <Table.Th>{words('firstReplyP90')}</Table.Th>
                <Table.Th>{words('resolveMedian')}</Table.Th>
                <Table.Th>{words('resolveP90')}</Table.Th>
                <Table.Th>{words('ratingCount')}</Table.Th>
                <Table.Th>{words('rating')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Th scope="row">{row.name}</Table.Th>
                  <Table.Td>{row.opened}</Table.Td>
                  <Table.Td>{row.resolved}</Table.Td>
                  <Table.Td>{row.messages_in}</Table.Td>
                  <Table.Td>{row.messages_out}</Table.Td>
                  <Table.Td>{duration(row.first_reply_s.median)}</Table.Td>
                  <Table.Td>{duration(row.first_reply_s.p90)}</Table.Td>
                  <Table.Td>{duration(row.resolve_s.median)}</Table.Td>
                  <Table.Td>{duration(row.resolve_s.p90)}</Table.Td>
                  <Table.Td>{row.rating?.count ?? 0}</Table.Td>
                  <Table.Td>{average(row.rating)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <CsvLink of={of} query={query} what={words(of)} />
    </Part>
  )
}
