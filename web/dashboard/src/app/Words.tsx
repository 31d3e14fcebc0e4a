import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { IntlProvider } from 'use-intl'
import en from '../../words/en.json'
import id from '../../words/id.json'

export const LANGUAGES = { en: 'English', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

const WORDS = { en, id }
const KEPT_AS = 'confab-language'

declare module 'use-intl' {
  interface AppConfig {
    Messages: typeof en
    Locale: Language
  }
}

const Chosen = createContext<{ language: Language; choose: (language: Language) => void }>({
  language: 'en',
  choose: () => {},
})

/** The language of the page, and how to change it. */
export const useLanguage = () => useContext(Chosen)

/** Words in the language that was asked for, was chosen before, or is the browser's. */
export function Words({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(first)
  const chosen = useMemo(
    () => ({
      language,
      choose(chosen: Language) {
        localStorage.setItem(KEPT_AS, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  useEffect(() => {
    const inAnotherTab = ({ key, newValue }: StorageEvent) => {
      if (key === KEPT_AS && isLanguage(newValue)) setLanguage(newValue)
    }
    addEventListener('storage', inAnotherTab)
    return () => removeEventListener('storage', inAnotherTab)
  }, [])
  const zone = useMemo(() => Intl.DateTimeFormat().resolvedOptions().timeZone, [])
  return (
    <Chosen value={chosen}>
      <IntlProvider locale={language} messages={WORDS[language]} timeZone={zone}>
        {children}
      </IntlProvider>
    </Chosen>
  )
}

function first(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  if (isLanguage(asked)) {
    localStorage.setItem(KEPT_AS, asked)
    return asked
  }
  const kept = localStorage.getItem(KEPT_AS)
  if (isLanguage(kept)) return kept
  const browsers = navigator.languages.map((tag) => tag.split('-')[0] ?? '')
  return browsers.find(isLanguage) ?? 'en'
}

function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(WORDS, text)
}
