import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useSearch } from 'wouter'
import { call, withQuery } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import type { AnalyticsPoint, AnalyticsRow, AnalyticsSummary, Data, Me } from '../app/shapes'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { Screen } from '../ui/Screen'
import classes from './Analytics.module.css'
import { AnalyticsFilters } from './AnalyticsFilters'
import { AnalyticsTable } from './AnalyticsTable'
import { EXAMPLE } from './example'
import { type AnalyticsQuery, isFiltered, queryOf } from './query'
import { Series } from './Series'
import { Summary } from './Summary'

/** The analytics screen: totals, charts, and tables by agent and channel. */
export default function AnalyticsScreen({ me }: { me: Me }) {
  return (
    <AdminWords>
      <Analytics me={me} />
    </AdminWords>
  )
}

function Analytics({ me }: { me: Me }) {
  const words = useTranslations('analytics')
  const query = queryOf(useSearch())
  const summary = useAnalytics<{ summary: AnalyticsSummary }>('summary', query)
  const series = useAnalytics<{ points: AnalyticsPoint[] }>('series', query)
  const agents = useAnalytics<{ agents: AnalyticsRow[] }>('agents', query)
  const channels = useAnalytics<{ channels: AnalyticsRow[] }>('channels', query)
  const all = [summary, series, agents, channels]
  const failed = all.find((it) => it.error && it.data === undefined)
  const retry = () => all.forEach((it) => void it.refetch())
  const zone = summary.data?.summary.zone ?? me.app.time_zone
  const isNothing = summary.data && isEmpty(summary.data.summary)
  return (
    <Screen isWide title={words('title')} help={words('help', { zone })}>
      <AnalyticsFilters query={query} />
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {!failed && all.some((it) => it.isPending) && <SkeletonRows count={4} height={120} />}
      {isNothing && !isFiltered(query) && (
        <>
          <div>
            <Text fw={600}>{words('nothing')}</Text>
            <Text className="muted">{words('nothingHelp')}</Text>
          </div>
          <div className={classes.example} aria-hidden>
            <Series points={EXAMPLE} by="day" zone={zone} hasTable={false} />
          </div>
        </>
      )}
      {isNothing && isFiltered(query) && <Text fw={600}>{words('noRows')}</Text>}
      {!isNothing && summary.data && <Summary summary={summary.data.summary} />}
      {!isNothing && series.data && (
        <Series points={series.data.points} by={query.by} zone={zone} query={query} hasTable />
      )}
      {!isNothing && agents.data && (
        <AnalyticsTable of="agents" rows={agents.data.agents} query={query} />
      )}
      {!isNothing && channels.data && (
        <AnalyticsTable of="channels" rows={channels.data.channels} query={query} />
      )}
    </Screen>
  )
}

/** Whether nothing happened at all. Agents who only replied, or only resolved conversations, count
 * as active. */
const isEmpty = (numbers: AnalyticsSummary): boolean =>
  numbers.opened + numbers.resolved + numbers.messages_in + numbers.messages_out === 0

/** Loads one part of the analytics. Reloaded whenever the screen is opened, because the numbers
 * change by the minute. */
function useAnalytics<T>(what: string, query: AnalyticsQuery) {
  const path = withQuery(`/api/v2/analytics/${what}`, { ...query })
  return useQuery({
    queryKey: ['live', 'analytics', path],
    queryFn: () => call<Data<T>>('GET', path).then(({ data }) => data),
    refetchOnMount: 'always',
  })
}
