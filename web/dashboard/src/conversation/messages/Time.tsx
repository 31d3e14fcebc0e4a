import { useFormatter } from 'use-intl'

/** The time of a message; the full date is in its tooltip. */
export function Time({ at }: { at: string }) {
  const format = useFormatter()
  const time = new Date(at)
  return (
    <time
      dateTime={time.toISOString()}
      title={format.dateTime(time, { dateStyle: 'full', timeStyle: 'medium' })}
    >
      {format.dateTime(time, { timeStyle: 'short' })}
    </time>
  )
}
