import { notifications } from '@mantine/notifications'
import { useCallback } from 'react'
import { useTranslations } from 'use-intl'

/** Says that something is done, without taking the screen away. */
export function useDone(): (message: string) => void {
  const words = useTranslations('states')
  const close = words('close')
  return useCallback(
    (message) => {
      const closeButtonProps = { 'aria-label': close }
      notifications.show({ color: 'teal', message, role: 'status', closeButtonProps })
    },
    [close],
  )
}
