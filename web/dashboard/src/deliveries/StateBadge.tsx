import { Badge } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from './Deliveries.module.css'
import { STANDINGS } from './filters'

/** The state of a delivery as a badge. */
export function StateBadge({ standing }: { standing: string }) {
  const words = useTranslations('deliveries')
  const known = STANDINGS.find((it) => it === standing)
  return (
    <Badge variant="outline" tt="none" className={classes.standing ?? ''} data-standing={standing}>
      {known ? words(`standings.${known}`) : standing}
    </Badge>
  )
}
