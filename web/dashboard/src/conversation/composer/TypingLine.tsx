import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Me } from '../../app/shapes'
import classes from './Composer.module.css'
import { useTypists } from './useTyping'

/** The names of other users who are typing. It is next to the tabs so that the layout does not
 * shift, and it is not announced to screen readers. */
export function TypingLine({ me, room }: { me: Me; room: string }) {
  const words = useTranslations('composer')
  const names = useTypists(me, room)
  return (
    <Text size="xs" className={`${classes.typing} muted`}>
      {names.length > 0 && words('typing', { names: names.join(', '), count: names.length })}
    </Text>
  )
}
