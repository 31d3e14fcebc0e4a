import { ActionIcon, Button, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useFormatter, useTranslations } from 'use-intl'
import classes from '../Settings.module.css'
import { DAYS, INTERVALS_MAX, type Interval, nextOf, problemOf } from './week'

interface WeekProps {
  week: Interval[]
  onChange: (week: Interval[]) => void
}

/** The office hours of each day, with any number of intervals. */
export function Week({ week, onChange }: WeekProps) {
  return DAYS.map((day) => <Day key={day} day={day} week={week} onChange={onChange} />)
}

function Day({ day, week, onChange }: WeekProps & { day: number }) {
  const words = useTranslations('hours')
  const format = useFormatter()
  // January 1, 2023 was a Sunday.
  const date = new Date(Date.UTC(2023, 0, 1 + day))
  const name = format.dateTime(date, { weekday: 'long', timeZone: 'UTC' })
  const problem = problemOf(week, day)
  const put = (at: number, part: Partial<Interval>) =>
    onChange(week.map((it, index) => (index === at ? { ...it, ...part } : it)))
  return (
    <fieldset className={classes.day} aria-label={name}>
      <Text fw={600}>{name}</Text>
      <div className={classes.stretches}>
        {!week.some((it) => it.day === day) && (
          <Text size="sm" className="muted">
            {words('closed')}
          </Text>
        )}
        {week.map(
          (it, at) =>
            it.day === day && (
              // biome-ignore lint/suspicious/noArrayIndexKey: two intervals can be identical
              <div key={at} className={classes.stretch}>
                <TextInput
                  type="time"
                  aria-label={words('from', { day: name })}
                  value={it.starttime}
                  required
                  onChange={(event) => put(at, { starttime: event.currentTarget.value })}
                />
                <span aria-hidden>–</span>
                <TextInput
                  type="time"
                  aria-label={words('until', { day: name })}
                  value={it.endtime}
                  required
                  onChange={(event) => put(at, { endtime: event.currentTarget.value })}
                />
                <ActionIcon
                  variant="subtle"
                  aria-label={words('remove', { day: name, from: it.starttime, until: it.endtime })}
                  onClick={() => onChange(week.filter((_, index) => index !== at))}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              </div>
            ),
        )}
        {problem && (
          <Text size="sm" role="alert" className={classes.veryLate ?? ''}>
            {words(problem)}
          </Text>
        )}
        <Button
          size="compact-sm"
          variant="default"
          aria-label={words('addTo', { day: name })}
          disabled={week.length >= INTERVALS_MAX}
          onClick={() => onChange([...week, nextOf(week, day)])}
        >
          {words('add')}
        </Button>
      </div>
    </fieldset>
  )
}
