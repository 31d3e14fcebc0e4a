import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { IntlProvider } from 'use-intl'
import type adminEn from '../../admin_words/en.json'
import type en from '../../words/en.json'

export const LANGUAGES = { en: 'English', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

type Messages = typeof en

/** Each language is fetched when it is wanted. */
const WORDS: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('../../words/en.json'),
  id: () => import('../../words/id.json'),
}
const KEPT_AS = 'confab-language'

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages & typeof adminEn
    Locale: Language
  }
}

const Chosen = createContext<{ language: Language; choose: (language: Language) => void }>({
  language: 'en',
  choose: () => {},
})

/** The language of the page, and how to change it. */
export const useLanguage = () => useContext(Chosen)

/** Whether somebody chose a language in this browser. */
export const isLanguageChosen = (): boolean => isLanguage(localStorage.getItem(KEPT_AS))

/** Words in the language that was asked for, was chosen before, or is the browser's. */
export function Words({ children }: { children: ReactNode }) {
  const [wanted, setWanted] = useState<Language>(first)
  const [shown, setShown] = useState<{ language: Language; words: Messages } | null>(null)
  useEffect(() => {
    let isOld = false
    void WORDS[wanted]().then(({ default: words }) => {
      if (!isOld) setShown({ language: wanted, words })
    })
    return () => {
      isOld = true
    }
  }, [wanted])
  useEffect(() => {
    const inAnotherTab = ({ key, newValue }: StorageEvent) => {
      if (key === KEPT_AS && isLanguage(newValue)) setWanted(newValue)
    }
    addEventListener('storage', inAnotherTab)
    return () => removeEventListener('storage', inAnotherTab)
  }, [])
  const language = shown?.language ?? wanted
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const chosen = useMemo(
    () => ({
      language,
      choose(chosen: Language) {
        localStorage.setItem(KEPT_AS, chosen)
        setWanted(chosen)
      },
    }),
    [language],
  )
  const zone = useMemo(() => Intl.DateTimeFormat().resolvedOptions().timeZone, [])
  if (shown === null) return null
  return (
    <Chosen value={chosen}>
      <IntlProvider locale={language} messages={shown.words} timeZone={zone}>
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

export function isLanguage(text: string | null | undefined): text is Language {
  return typeof text === 'string' && Object.hasOwn(WORDS, text)
}
