import { Switch } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Agent } from '../app/shapes'
import { State } from './PeopleList'
import { usePeopleMutation } from './usePeople'

/** The agent's availability, and a switch that forces them offline. */
export function ForceOffline({ person, mayWrite }: { person: Agent; mayWrite: boolean }) {
  const words = useTranslations('people')
  const { mutate, isPending } = usePeopleMutation()
  const path = `/api/v2/admin/agent/${person.id}/set_force_offline`
  return (
    <div>
      <State person={person} />
      <Switch
        mt="sm"
        label={words('forceOffline')}
        description={words('forceOfflineHelp')}
        checked={person.force_offline}
        disabled={!mayWrite || isPending}
        onChange={(event) => mutate([path, { force_offline: event.currentTarget.checked }])}
      />
    </div>
  )
}
