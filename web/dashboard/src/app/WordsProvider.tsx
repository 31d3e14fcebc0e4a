import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { IntlProvider } from 'use-intl'
import type adminEn from '../../admin_words/en.json'
import type en from '../../words/en.json'
import { loadPart } from './lazyPart'
import type { Me } from './shapes'

export const LANGUAGES = { en: 'English', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

type Messages = typeof en

/** Loads the words of each language on demand. */
const WORDS: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('../../words/en.json'),
  id: () => import('../../words/id.json'),
}
const LANGUAGE_KEY = 'confab-language'
/** Storage key of the user who last saw their language in this browser, or `ANYBODY` if the
 * language was chosen before signing in. In both cases this browser's language wins over the
 * language that the server stores for the user. */
const LANGUAGE_USER_KEY = 'confab-language-for'
const ANY_USER = '*'

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages & typeof adminEn
    Locale: Language
  }
}

interface Choice {
  language: Language
  choose: (language: Language, isAsked?: boolean) => void
}

const LanguageContext = createContext<Choice>({ language: 'en', choose: () => {} })

/** Returns the page's language and a function to change it. */
export const useLanguage = () => useContext(LanguageContext)

/** Switches to the language that the user chose in another browser. Returns false until its words
 * are loaded, so that nothing is rendered in two languages in turn. */
export function useUserLanguage(me: Me | null | undefined): boolean {
  const { language, choose } = useLanguage()
  const who = me ? `${me.app.code}/${me.user.id}` : null
  const keptFor = localStorage.getItem(LANGUAGE_USER_KEY)
  const own = keptFor === who || keptFor === ANY_USER ? null : me?.user.language
  const isOther = isLanguage(own) && own !== language
  useEffect(() => {
    if (isOther) choose(own, false)
    else if (who !== null) storeLanguage(language, who)
  }, [isOther, own, who, language, choose])
  return !isOther
}

export interface LoadedWords {
  language: Language
  words: Messages
}

/** Loads the first words: in the language of the URL's `lang` parameter, the stored one, or the
 * browser's. */
export async function loadFirstWords(): Promise<LoadedWords> {
  const language = firstLanguage()
  const { default: words } = await loadPart(WORDS[language])
  return { language, words }
}

/** Whether a user has signed in with this browser before. */
export const hasSignedInBefore = () =>
  (localStorage.getItem(LANGUAGE_USER_KEY) ?? ANY_USER) !== ANY_USER

/** Provides the words of the chosen language. Starts with the words that were loaded first. */
export function WordsProvider({ first, children }: { first: LoadedWords; children: ReactNode }) {
  const [wanted, setWanted] = useState<Language>(first.language)
  const [shown, setShown] = useState<LoadedWords>(first)
  useEffect(() => {
    if (shown.language === wanted) return
    let isOld = false
    void WORDS[wanted]().then(({ default: words }) => {
      if (!isOld) setShown({ language: wanted, words })
    })
    return () => {
      isOld = true
    }
  }, [wanted, shown])
  useEffect(() => {
    const inAnotherTab = ({ key, newValue }: StorageEvent) => {
      if (key === LANGUAGE_KEY && isLanguage(newValue)) setWanted(newValue)
    }
    addEventListener('storage', inAnotherTab)
    return () => removeEventListener('storage', inAnotherTab)
  }, [])
  const { language } = shown
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const chosen = useMemo<Choice>(
    () => ({
      language,
      choose(chosen, isAsked = true) {
        if (isAsked) storeLanguage(chosen)
        setWanted(chosen)
      },
    }),
    [language],
  )
  const zone = useMemo(() => Intl.DateTimeFormat().resolvedOptions().timeZone, [])
  return (
    <LanguageContext value={chosen}>
      <IntlProvider locale={language} messages={shown.words} timeZone={zone}>
        {children}
      </IntlProvider>
    </LanguageContext>
  )
}

function storeLanguage(language: Language, owner = ANY_USER): void {
  localStorage.setItem(LANGUAGE_KEY, language)
  localStorage.setItem(LANGUAGE_USER_KEY, owner)
}

function firstLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  if (isLanguage(asked)) {
    storeLanguage(asked)
    return asked
  }
  const kept = localStorage.getItem(LANGUAGE_KEY)
  if (isLanguage(kept)) return kept
  const browsers = navigator.languages.map((tag) => tag.split('-')[0] ?? '')
  return browsers.find(isLanguage) ?? 'en'
}

export function isLanguage(text: string | null | undefined): text is Language {
  return typeof text === 'string' && Object.hasOwn(WORDS, text)
}
