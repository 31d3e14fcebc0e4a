import { Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { ME } from '../app/Gate'
import type { Me } from '../app/shapes'
import { useFailure } from '../ui/useFailure'

/** Whether one takes customers. An admin may have taken one offline: then it says so. */
export function AvailabilitySwitch({ me }: { me: Me }) {
  const words = useTranslations('me')
  const queries = useQueryClient()
  const showFailure = useFailure()
  const set = useMutation({
    mutationFn: (is_available: boolean) =>
      call('POST', '/api/v1/agent/set_availability', { is_available }),
    onError: showFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ME }),
  })
  const isOn = set.isPending ? set.variables : me.user.is_available
  return (
    <Switch
      label={words('available')}
      description={me.user.force_offline ? words('forcedOffline') : undefined}
      checked={isOn && !me.user.force_offline}
      disabled={me.user.force_offline}
      onChange={(event) => set.mutate(event.currentTarget.checked)}
    />
  )
}
