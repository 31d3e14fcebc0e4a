import '@mantine/core/styles/Fieldset.css'
import { Fieldset, Textarea, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { WIDGET_LANGUAGES } from './languages'
import { Part } from './Part'
import type { PartProps } from './WidgetScreen'

const LENGTH_MAX = 500
const KEYS = ['title', 'welcome', 'away'] as const

/** What the widget says, in each of its languages. What is empty is said in its own words. */
export function TextsPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const set = (language: string, key: (typeof KEYS)[number], value: string) => {
    const said = { ...draft.texts[language], [key]: value || undefined }
    change({ texts: { ...draft.texts, [language]: said } })
  }
  return (
    <Part title={words('texts')} help={words('textsHelp')}>
      {WIDGET_LANGUAGES.map(([language, name]) => (
        <Fieldset key={language} legend={name} lang={language}>
          {KEYS.map((key) => {
            const Field = key === 'title' ? TextInput : Textarea
            return (
              <Field
                key={key}
                mb="xs"
                label={words(`text.${key}`)}
                maxLength={LENGTH_MAX}
                value={draft.texts[language]?.[key] ?? ''}
                onChange={(event) => set(language, key, event.currentTarget.value)}
              />
            )
          })}
        </Fieldset>
      ))}
    </Part>
  )
}
