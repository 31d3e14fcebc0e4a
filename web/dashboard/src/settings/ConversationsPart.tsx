import '@mantine/core/styles/Checkbox.css'
import { Checkbox } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Part } from '../channels/widget/Part'
import { NumberField } from '../ui/forms/NumberField'
import type { PartProps } from './draft'
import { RatingFields } from './RatingFields'

const IDLE_MAX = 43_200

/** The settings for how conversations start and end. */
export function ConversationsPart({ draft, change }: PartProps) {
  const words = useTranslations('settings')
  return (
    <Part title={words('conversations')}>
      <Checkbox
        label={words('sessional')}
        description={words('sessionalHelp')}
        checked={draft.is_sessional}
        onChange={(event) => change({ is_sessional: event.currentTarget.checked })}
      />
      <NumberField
        label={words('idle')}
        description={words('idleHelp')}
        value={draft.idle_resolve_minutes ?? null}
        min={1}
        max={IDLE_MAX}
        onChange={(idle_resolve_minutes) => change({ idle_resolve_minutes })}
      />
      <RatingFields draft={draft} change={change} />
    </Part>
  )
}
