import '@mantine/core/styles/Table.css'
import { Table } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsPoint } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import { formatClock } from '../inbox/rows/WaitingTime'
import classes from './Analytics.module.css'
import { Chart } from './Chart'
import { CsvLink } from './CsvLink'
import type { AnalyticsQuery } from './query'
import { useAverage } from './useAverage'

interface SeriesProps {
  points: AnalyticsPoint[]
  by: AnalyticsQuery['by']
  zone: string
  query?: AnalyticsQuery
  hasTable: boolean
}

/** The numbers of each day or hour, as charts and as a table. */
export function Series({ points, by, zone, query, hasTable }: SeriesProps) {
  const words = useTranslations('analytics')
  const time = useTime(by, zone)
  const average = useAverage()
  const counts = (['opened', 'resolved'] as const).map((name) => ({
    name: words(name),
    values: points.map((point) => point[name]),
  }))
  const replies = points.map((point) => point.first_reply_median_s)
  return (
    <Part title={words('conversations')}>
      <Chart title={words('conversations')} kind="bars" series={counts} />
      <Chart
        title={words('replies')}
        kind="line"
        series={[{ name: words('first_reply'), values: replies }]}
        formatValue={formatClock}
      />
      {hasTable && query && <CsvLink of="series" query={query} what={words('conversations')} />}
      {hasTable && (
        <details className={classes.details}>
          <summary>{words('table')}</summary>
          <Table.ScrollContainer minWidth={680} type="native" tabIndex={0}>
            <Table aria-label={words('conversations')}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{words('time')}</Table.Th>
                  <Table.Th>{words('opened')}</Table.Th>
                  <Table.Th>{words('resolved')}</Table.Th>
                  <Table.Th>{words('messages_in')}</Table.Th>
                  <Table.Th>{words('messages_out')}</Table.Th>
                  <Table.Th>{words('firstReplyMedian')}</Table.Th>
                  <Table.Th>{words('resolveMedian')}</Table.Th>
                  <Table.Th>{words('ratingCount')}</Table.Th>
                  <Table.Th>{words('rating')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {points.map((point) => (
                  <Table.Tr key={point.at}>
                    <Table.Th scope="row">{time(point.at)}</Table.Th>
                    <Table.Td>{point.opened}</Table.Td>
                    <Table.Td>{point.resolved}</Table.Td>
                    <Table.Td>{point.messages_in}</Table.Td>
                    <Table.Td>{point.messages_out}</Table.Td>
                    <Table.Td>{duration(point.first_reply_median_s)}</Table.Td>
                    <Table.Td>{duration(point.resolve_median_s)}</Table.Td>
                    <Table.Td>{point.rating?.count ?? 0}</Table.Td>
                    <Table.Td>{average(point.rating)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </details>
      )}
    </Part>
  )
}

export const duration = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? '–' : formatClock(seconds)

/** Returns a function that formats a time in the app's time zone. */
function useTime(by: AnalyticsQuery['by'], timeZone: string): (at: string) => string {
  const format = useFormatter()
  return (at) =>
    format.dateTime(new Date(at), {
      dateStyle: 'medium',
      ...(by === 'hour' && { timeStyle: 'short' }),
      timeZone,
    })
}
