import { NativeSelect } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { LANGUAGES, type Language, useLanguage } from '../app/Words'

export function LanguageSwitch() {
  const words = useTranslations('states')
  const { language, choose } = useLanguage()
  const choices = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))
  return (
    <NativeSelect
      aria-label={words('language')}
      size="xs"
      data={choices}
      value={language}
      onChange={(event) => choose(event.currentTarget.value as Language)}
    />
  )
}
