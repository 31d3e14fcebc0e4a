import { Skeleton } from '@mantine/core'
import { useIsLate } from '../../ui/feedback/Loading'
import classes from '../Conversation.module.css'

const WIDTHS = ['45%', '30%', '55%', '40%']

/** Placeholders for messages that are being loaded. */
export function ListLoading() {
  const isLate = useIsLate()
  return (
    <div className={classes.loading} aria-busy="true">
      {isLate && WIDTHS.map((width) => <Skeleton key={width} height={48} width={width} />)}
    </div>
  )
}
