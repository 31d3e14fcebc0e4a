import { useFormatter, useTranslations } from 'use-intl'
import { Link, useLocation } from 'wouter'
import { useKey } from '../keys/KeysProvider'
import classes from './Inbox.module.css'
import { useCounts } from './useCounts'
import { COUNT_FIELDS, VIEWS, type View } from './views'

/** The links to the inbox views, with their counts. The filters stay when the view changes. */
export function Views({ view, search }: { view: View; search: string }) {
  const words = useTranslations('inbox')
  const format = useFormatter()
  const counts = useCounts()
  const [, go] = useLocation()
  const to = (it: View) => `/inbox/${it}${search}`
  useKey('viewMine', () => go(to('mine')))
  useKey('viewUnassigned', () => go(to('unassigned')))
  useKey('viewBot', () => go(to('bot')))
  useKey('viewAll', () => go(to('all')))
  useKey('viewResolved', () => go(to('resolved')))
  return (
    <nav className={classes.views} aria-label={words('views')}>
      {VIEWS.map((it) => (
        <Link
          key={it}
          to={to(it)}
          className={classes.view ?? ''}
          aria-current={it === view ? 'page' : undefined}
        >
          {words(`view.${it}`)}
          {counts && (
            <span className={classes.count}>{format.number(counts[COUNT_FIELDS[it]])}</span>
          )}
        </Link>
      ))}
    </nav>
  )
}
