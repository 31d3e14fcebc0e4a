import { Checkbox } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Part } from '../channels/widget/Part'
import type { PartProps } from './draft'

/** How conversations begin and end. */
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
    </Part>
  )
}
