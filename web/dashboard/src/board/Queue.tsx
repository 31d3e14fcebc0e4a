import { Anchor } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Board, Me } from '../app/shapes'
import { formatClock, lateness } from '../inbox/rows/WaitingTime'
import { useNow } from '../ui/useNow'
import classes from './Board.module.css'

/** The number of waiting customers, and the longest waiting time. */
export function Queue({ me, queue }: { me: Me; queue: Board['queue'] }) {
  const words = useTranslations('board')
  const format = useFormatter()
  const { waiting, longest_wait_since, bot, open } = queue
  return (
    <section aria-label={words('queue')}>
      <dl className={classes.tiles}>
        <Tile name={words('waiting')} value={format.number(waiting)} />
        <div className={classes.tile}>
          <dt>{words('longest')}</dt>
          <dd>
            {longest_wait_since ? (
              <Wait me={me} since={longest_wait_since} />
            ) : (
              words('nobodyWaits')
            )}
          </dd>
        </div>
        <Tile name={words('bot')} value={format.number(bot)} />
        <Tile name={words('open')} value={format.number(open)} />
      </dl>
      {waiting > 0 && (
        <Anchor component={Link} to="/inbox/unassigned?sort=waiting" py={4} display="inline-block">
          {words('who')}
        </Anchor>
      )}
    </section>
  )
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div className={classes.tile}>
      <dt>{name}</dt>
      <dd className={classes.number}>{value}</dd>
    </div>
  )
}

function Wait({ me, since }: { me: Me; since: string }) {
  const seconds = Math.max((useNow(1000) - Date.parse(since)) / 1000, 0)
  return (
    <span className={classes.number} data-late={lateness(seconds, me.app)}>
      {formatClock(seconds)}
    </span>
  )
}
