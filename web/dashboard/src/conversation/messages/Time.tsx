import { useFormatter } from 'use-intl'

/** When it was: the hour on screen, the whole date when one points at it. */
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
