import { Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { Part } from '../channels/widget/Part'
import { NumberField } from '../ui/forms/NumberField'
import { areTimesInOrder, type PartProps } from './draft'
import classes from './Settings.module.css'

const SHOWN_MAX_S = 86_400

/** The waiting times after which a customer's clock changes its color. */
export function WaitingPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  return (
    <Part title={words('waiting')} help={words('waitingHelp')}>
      <div className={classes.row}>
        <NumberField
          label={words('amber')}
          value={draft.waiting_amber_s}
          min={1}
          max={SHOWN_MAX_S}
          required
          onChange={(waiting_amber_s) => change({ waiting_amber_s })}
        />
        <NumberField
          label={words('red')}
          value={draft.waiting_red_s}
          min={1}
          max={SHOWN_MAX_S}
          required
          error={areTimesInOrder(draft) ? undefined : words('redFirst')}
          onChange={(waiting_red_s) => change({ waiting_red_s })}
        />
      </div>
      <div className={classes.clocks}>
        <Clock kind="late" seconds={draft.waiting_amber_s} />
        <Clock kind="veryLate" seconds={draft.waiting_red_s} />
      </div>
    </Part>
  )
}

/** Preview of a waiting customer's clock, as agents see it. */
function Clock({ kind, seconds }: { kind: 'late' | 'veryLate'; seconds: number | null }) {
  const words = useTranslations('settings')
  const minutes = Math.floor((seconds ?? 0) / 60)
  const rest = String((seconds ?? 0) % 60).padStart(2, '0')
  return (
    <Text size="sm" className={classes[kind] ?? ''}>
      <IconClock size={16} aria-hidden /> {words('waitsFrom', { time: `${minutes}:${rest}` })}
    </Text>
  )
}
