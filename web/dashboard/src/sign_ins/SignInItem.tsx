import { Badge, Button, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import type { SignInEntry } from '../app/shapes'
import classes from './SignIns.module.css'

interface SignInItemProps {
  signIn: SignInEntry
  isEnding: boolean
  isOffline: boolean
  onEnd: () => void
}

/** A sign-in: browser, address, start and last use. */
export function SignInItem({ signIn, isEnding, isOffline, onEnd }: SignInItemProps) {
  const words = useTranslations('signIns')
  const format = useFormatter()
  const { browser, address, created_at, seen_at, is_current } = signIn
  const name = browser ?? words('unknown')
  const time = (at: string) =>
    format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <li className={classes.item}>
      <div>
        <Text fw={600}>
          {name}{' '}
          {is_current && (
            <Badge variant="outline" color="teal" autoContrast>
              {words('current')}
            </Badge>
          )}
        </Text>
        <Text size="sm" className="muted">
          {[
            address,
            words('since', { time: time(created_at) }),
            words('seen', { time: time(seen_at) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </div>
      {!is_current && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isEnding}
          disabled={isOffline}
          aria-label={words('endOf', { name, time: time(created_at) })}
          onClick={onEnd}
        >
          {words('end')}
        </Button>
      )}
    </li>
  )
}
