import { notifications } from '@mantine/notifications'
import { useCallback } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../shared/call'

/** Says what went wrong, without taking the screen away. */
export function useFailure(): (error: unknown) => void {
  const words = useTranslations('states')
  return useCallback(
    (error) => {
      const known = error instanceof CallError && error.status !== 0
      const message = known ? (error.details[0] ?? error.message) : words('unreachable')
      notifications.show({ color: 'red', title: words('failed'), message, role: 'alert' })
    },
    [words],
  )
}
