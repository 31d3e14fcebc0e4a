import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useCallback } from 'react'
import { useTranslations } from 'use-intl'
import { CallError } from '../../../../shared/call'
import { RequestId } from './RequestId'

/** Returns a function that shows an error notification. */
export function useErrorNotice(): (error: unknown) => void {
  const words = useTranslations('states')
  const close = words('close')
  const failed = words('failed')
  const unreachable = words('unreachable')
  return useCallback(
    (error) => {
      const known = error instanceof CallError && error.status !== 0 ? error : null
      const message = (
        <Stack gap="xs">
          <Text size="sm">{known ? (known.details[0] ?? known.message) : unreachable}</Text>
          {known?.requestId && <RequestId id={known.requestId} />}
        </Stack>
      )
      const closeButtonProps = { 'aria-label': close }
      notifications.show({ color: 'red', title: failed, message, role: 'alert', closeButtonProps })
    },
    [close, failed, unreachable],
  )
}
