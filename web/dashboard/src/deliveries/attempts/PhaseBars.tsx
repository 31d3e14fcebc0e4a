import { useFormatter, useTranslations } from 'use-intl'
import type { Phases } from '../../app/shapes'
import classes from './Phases.module.css'
import { barsOf, displayTime, positionOf, totalUs } from './phases'

/** The durations of an attempt's phases, as bars and in words. */
export function PhaseBars({ phases, wholeUs }: { phases: Phases; wholeUs?: number }) {
  const words = useTranslations('phases')
  const time = useTime()
  const bars = barsOf(phases)
  const total = totalUs(phases)
  if (bars.length === 0) return <span className="muted">{words('none')}</span>
  return (
    <div>
      <svg className={classes.bars} viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden>
        {bars.map((bar) => (
          <rect
            key={bar.phase}
            className={classes[bar.phase]}
            y={0}
            height={10}
            {...positionOf(bar, Math.max(wholeUs ?? total, 1))}
          />
        ))}
      </svg>
      <ul className={classes.legend}>
        {bars.map(({ phase, us }) => (
          <li key={phase}>
            <span className={`${classes.swatch} ${classes[phase]}`} aria-hidden />
            {words(phase)} {time(us)}
          </li>
        ))}
        <li>{words('total', { time: time(total) })}</li>
      </ul>
    </div>
  )
}

function useTime(): (us: number) => string {
  const words = useTranslations('phases')
  const format = useFormatter()
  return (us) => {
    const { unit, amount } = displayTime(us)
    const shown = format.number(amount)
    return unit === 'ms' ? words('ms', { ms: shown }) : words('s', { s: shown })
  }
}
