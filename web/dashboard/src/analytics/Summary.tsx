import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsSummary, DurationStats } from '../app/shapes'
import { formatClock } from '../inbox/rows/WaitingTime'
import classes from './Analytics.module.css'
import { useAverage } from './useAverage'

const COUNTS = ['opened', 'resolved', 'messages_in', 'messages_out'] as const

/** The totals of the whole period. */
export function Summary({ summary }: { summary: AnalyticsSummary }) {
  const words = useTranslations('analytics')
  const format = useFormatter()
  const average = useAverage()
  return (
    <dl className={classes.tiles}>
      {COUNTS.map((name) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd className={classes.number}>{format.number(summary[name])}</dd>
        </div>
      ))}
      <Duration name={words('first_reply')} took={summary.first_reply_s} />
      <Duration name={words('resolve')} took={summary.resolve_s} />
      {summary.rating && (
        <div>
          <dt>{words('rating')}</dt>
          <dd className={classes.number}>{average(summary.rating)}</dd>
          <dd>{words('ratings', { count: summary.rating.count })}</dd>
        </div>
      )}
      <div>
        <dt>{words('waitingNow')}</dt>
        <dd className={classes.number}>{format.number(summary.waiting_now)}</dd>
      </div>
    </dl>
  )
}

function Duration({ name, took: { median, p90 } }: { name: string; took: DurationStats }) {
  const words = useTranslations('analytics')
  const isKnown = median !== null && median !== undefined
  return (
    <div>
      <dt>{name}</dt>
      <dd>{isKnown ? words('median', { time: formatClock(median) }) : words('none')}</dd>
      {isKnown && <dd>{words('p90', { time: formatClock(p90 ?? median) })}</dd>}
    </div>
  )
}
