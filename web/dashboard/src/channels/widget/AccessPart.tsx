import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Part } from './Part'
import type { PartProps } from './WidgetScreen'

/** Which sites may show the widget, and whom it lets in. */
export function AccessPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const [text, setText] = useState(() => draft.allowed_origins.join('\n'))
  return (
    <Part title={words('access')}>
      <Textarea
        label={words('origins')}
        description={words('originsHelp')}
        placeholder="https://shop.example.com"
        autosize
        minRows={2}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          const lines = event.currentTarget.value.split('\n').map((line) => line.trim())
          change({ allowed_origins: lines.filter((line) => line !== '') })
        }}
      />
      <Checkbox
        label={words('identity')}
        description={words('identityHelp')}
        checked={draft.is_identity_required}
        onChange={(event) => change({ is_identity_required: event.currentTarget.checked })}
      />
    </Part>
  )
}
