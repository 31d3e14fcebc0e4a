import { Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { changeMeEverywhere } from '../app/me'
import type { Me } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

interface AvailabilitySwitchProps {
  me: Me
  /** Whether to show a description. */
  isLarge?: boolean
}

/** The switch for whether the agent accepts customers. It is disabled if an admin forced the agent
 * offline. */
export function AvailabilitySwitch({ me, isLarge = false }: AvailabilitySwitchProps) {
  const words = useTranslations('me')
  const queries = useQueryClient()
  const set = useMutation({
    mutationFn: (is_available: boolean) =>
      call('POST', '/api/v1/agent/set_availability', { is_available }),
    onError: useErrorNotice(),
    onSuccess: (_, is_available) => changeMeEverywhere(queries, { is_available }),
  })
  const isOn = set.isPending ? set.variables : me.user.is_available
  const hint = isLarge ? words('availableHint') : undefined
  return (
    <Switch
      size={isLarge ? 'lg' : 'sm'}
      label={words('available')}
      description={me.user.force_offline ? words('forcedOffline') : hint}
      checked={isOn && !me.user.force_offline}
      disabled={me.user.force_offline}
      onChange={(event) => set.mutate(event.currentTarget.checked)}
    />
  )
}
