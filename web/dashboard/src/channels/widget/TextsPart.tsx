import { Textarea, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { WIDGET_LANGUAGES } from './languages'
import type { PartProps } from './look'
import { Part } from './Part'
import classes from './WidgetScreen.module.css'

const LENGTH_MAX = 500
const KEYS = ['title', 'welcome', 'away'] as const

/** The widget's texts in each language. Empty texts use the defaults. */
export function TextsPart({ draft, change }: PartProps) {
  const words = useTranslations('widget')
  const set = (language: string, key: (typeof KEYS)[number], value: string) => {
    const said = { ...draft.texts[language], [key]: value || undefined }
    const view = key === 'away' ? 'away' : 'conversation'
    change({ texts: { ...draft.texts, [language]: said } }, { view, language })
  }
  return (
    <Part title={words('texts')} help={words('textsHelp')}>
      {WIDGET_LANGUAGES.map(([language, name]) => (
        <fieldset key={language} className={classes.language}>
          <legend lang={language}>{name}</legend>
          {KEYS.map((key) => {
            const Field = key === 'title' ? TextInput : Textarea
            return (
              <Field
                key={key}
                mb="xs"
                label={words(`text.${key}`)}
                maxLength={LENGTH_MAX}
                lang={language}
                value={draft.texts[language]?.[key] ?? ''}
                onChange={(event) => set(language, key, event.currentTarget.value)}
              />
            )
          })}
        </fieldset>
      ))}
    </Part>
  )
}
