import { NativeSelect } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { AppSettings } from '../app/shapes'
import { Part } from '../channels/widget/Part'
import type { PartProps } from './draft'

/** The options of each setting, strictest last. */
const CHOICES = {
  visitor_proof: ['none', 'secret', 'identity_token'],
  registration: ['open', 'identity_token'],
  user_list: ['all', 'names', 'off'],
  agent_and_customer_presence: ['all', 'shared_rooms'],
  agent_and_customer_rooms: ['all', 'shared_rooms'],
} as const
const NAMES = Object.keys(CHOICES) as (keyof typeof CHOICES)[]
const RESOLVED = ['served', 'all'] as const

/** The settings for what agents, widget visitors and clients of the app may see. */
export function VisibilityPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  return (
    <Part title={words('seeing')} help={words('seeingHelp')}>
      <NativeSelect
        label={words('resolved')}
        data={RESOLVED.map((value) => ({ value, label: words(`resolvedBy.${value}`) }))}
        value={draft.who_sees_resolved}
        onChange={(event) =>
          change({
            who_sees_resolved: event.currentTarget.value as AppSettings['who_sees_resolved'],
          })
        }
      />
      {NAMES.map((name) => (
        <NativeSelect
          key={name}
          label={words(`security.${name}.label`)}
          data={CHOICES[name].map((value) => ({
            value,
            // Each setting has texts for its own options only.
            label: words(`security.${name}.${value}` as 'security.registration.open'),
          }))}
          value={draft.security[name] ?? ''}
          onChange={(event) =>
            change({ security: { ...draft.security, [name]: event.currentTarget.value } })
          }
        />
      ))}
    </Part>
  )
}
