import { notifications } from '@mantine/notifications'
import { useCallback } from 'react'
import { useTranslations } from 'use-intl'

/** Returns a function that shows a success notification. */
export function useSuccessNotice(): (message: string) => void {
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
