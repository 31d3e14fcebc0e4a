import { useFormatter } from 'use-intl'

/** A date and time in medium and short format. */
export function DateTime({ at }: { at: string }) {
  const format = useFormatter()
  const time = new Date(at)
  return (
    <time dateTime={time.toISOString()}>
      {format.dateTime(time, { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  )
}
