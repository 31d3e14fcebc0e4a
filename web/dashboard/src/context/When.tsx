import { useFormatter } from 'use-intl'

/** A date and an hour, as short as they can be read. */
export function When({ at }: { at: string }) {
  const format = useFormatter()
  const time = new Date(at)
  return (
    <time dateTime={time.toISOString()}>
      {format.dateTime(time, { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  )
}
