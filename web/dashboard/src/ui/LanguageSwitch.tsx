import { useTranslations } from 'use-intl'
import { LANGUAGES, type Language, useLanguage } from '../app/WordsProvider'
import classes from './LanguageSwitch.module.css'

export function LanguageSwitch() {
  const words = useTranslations('states')
  const { language, choose } = useLanguage()
  return (
    <select
      className={classes.select}
      aria-label={words('language')}
      value={language}
      onChange={(event) => choose(event.currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  )
}
