import { useFormatter } from 'use-intl'
import classes from './Analytics.module.css'
import { barOf, HEIGHT, linesOf, topOf, WIDTH } from './scale'

interface ChartProps {
  title: string
  kind: 'bars' | 'line'
  series: { name: string; values: (number | null | undefined)[] }[]
  /** Formats a number of the axis. */
  formatValue?: (value: number) => string
}

/** A chart, hidden from screen readers: its numbers are also in a table. */
export function Chart({ title, kind, series, formatValue }: ChartProps) {
  const format = useFormatter()
  const top = topOf(series.flatMap(({ values }) => values))
  const label = formatValue ?? ((value: number) => format.number(value))
  return (
    <figure className={classes.chart} aria-hidden>
      <figcaption>
        {title}
        {series.length > 1 &&
          series.map(({ name }, at) => (
            <span key={name} className={classes.key} data-series={at}>
              {name}
            </span>
          ))}
      </figcaption>
      <div className={classes.plot}>
        <span className={classes.axis}>
          <span>{label(top)}</span>
          <span>{label(0)}</span>
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <title>{title}</title>
          <line className={classes.ground} x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          {kind === 'bars'
            ? series.flatMap(({ name, values }, at) =>
                values.map((value, group) => (
                  <rect
                    // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other identity
                    key={`${name} ${group}`}
                    data-series={at}
                    {...barOf(value ?? 0, top, at, group, values.length, series.length)}
                  />
                )),
              )
            : series.flatMap(({ values }) =>
                linesOf(values, top).map((points) => <polyline key={points} points={points} />),
              )}
        </svg>
      </div>
    </figure>
  )
}
