import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Textarea } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { PartProps } from './look'
import { originsIn, wrongOrigin } from './origins'
import { Part } from './Part'

/** The settings for which sites may embed the widget, and whether visitors must prove their
 * identity. */
export function AccessPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const wrong = wrongOrigin(draft.allowed_origins)
  return (
    <Part title={words('access')}>
      <Textarea
        label={words('origins')}
        description={words('originsHelp')}
        placeholder="https://shop.example.com"
        autosize
        minRows={2}
        value={draft.allowed_origins.join('\n')}
        error={wrong === undefined ? undefined : words('originWrong', { line: wrong })}
        onChange={(event) => change({ allowed_origins: originsIn(event.currentTarget.value) })}
      />
      <Checkbox
        label={words('identity')}
        description={words('identityHelp')}
        checked={draft.is_identity_required}
        onChange={(event) =>
          change({ is_identity_required: event.currentTarget.checked }, { view: 'newcomer' })
        }
      />
    </Part>
  )
}
