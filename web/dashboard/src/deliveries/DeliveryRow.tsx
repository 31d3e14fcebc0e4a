import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Delivery } from '../app/shapes'
import { DateTime } from '../context/DateTime'
import classes from './Deliveries.module.css'
import { StateBadge } from './StateBadge'
import { useKindName } from './useKindName'

interface DeliveryRowProps {
  delivery: Delivery
  search: string
  isChosen: boolean
}

export function DeliveryRow({ delivery, search, isChosen }: DeliveryRowProps) {
  const words = useTranslations('deliveries')
  const kindName = useKindName()
  const { id, kind, url, attempts, last_status, last_error, created_at } = delivery
  return (
    <li>
      <Link
        to={`/webhooks/deliveries/${id}${search}`}
        className={classes.row ?? ''}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span className={classes.head}>
          <span className={classes.kind}>{kindName(kind)}</span>
          <StateBadge standing={delivery.standing} />
        </span>
        <span className={classes.url}>{url}</span>
        <span className={classes.foot}>
          <DateTime at={created_at} />
          <span>
            {words('attempts', { count: attempts })}
            {last_status ? `, ${words('status', { status: last_status })}` : ''}
            {!last_status && last_error ? `, ${last_error}` : ''}
          </span>
        </span>
      </Link>
    </li>
  )
}
