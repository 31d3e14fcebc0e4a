import { Checkbox } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Part } from '../channels/widget/Part'
import { NumberField } from '../ui/NumberField'
import type { PartProps } from './draft'

const IDLE_MAX = 43_200
/** What is offered when it is switched on. */
const IDLE_FIRST = 1440

/** How conversations begin and end. */
export function ConversationsPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  const { idle_resolve_minutes: idle } = draft
  return (
    <Part title={words('conversations')}>
      <Checkbox
        label={words('sessional')}
        description={words('sessionalHelp')}
        checked={draft.is_sessional}
        onChange={(event) => change({ is_sessional: event.currentTarget.checked })}
      />
      <Checkbox
        label={words('idle')}
        description={words('idleHelp')}
        checked={idle !== null}
        onChange={(event) =>
          change({ idle_resolve_minutes: event.currentTarget.checked ? IDLE_FIRST : null })
        }
      />
      {idle !== null && (
        <NumberField
          label={words('idleMinutes')}
          value={idle}
          min={1}
          max={IDLE_MAX}
          required
          maw={240}
          // An empty field is no number yet; it is the box above that switches it off.
          onChange={(minutes) => change({ idle_resolve_minutes: minutes ?? Number.NaN })}
        />
      )}
      <Checkbox
        label={words('rating')}
        description={words('ratingHelp')}
        checked={draft.rating.is_on}
        onChange={(event) => change({ rating: { is_on: event.currentTarget.checked } })}
      />
    </Part>
  )
}
