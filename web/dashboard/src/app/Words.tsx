import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { IntlProvider } from 'use-intl'
import type adminEn from '../../admin_words/en.json'
import type en from '../../words/en.json'
import { fetched } from './part'
import type { Me } from './shapes'

export const LANGUAGES = { en: 'English', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

type Messages = typeof en

/** Loads the words of each language on demand. */
const WORDS: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('../../words/en.json'),
  id: () => import('../../words/id.json'),
}
const KEPT_AS = 'confab-language'
/** Storage key of the user who last saw their language in this browser, or `ANYBODY` if the
 * language was chosen before signing in. In both cases this browser's language wins over the
 * language that the server stores for the user. */
const KEPT_FOR = 'confab-language-for'
const ANYBODY = '*'

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

const Chosen = createContext<Choice>({ language: 'en', choose: () => {} })

/** Returns the page's language and a function to change it. */
export const useLanguage = () => useContext(Chosen)

/** Switches to the language that the user chose in another browser. Returns false until its words
 * are loaded, so that nothing is rendered in two languages in turn. */
export function useLanguageOf(me: Me | null | undefined): boolean {
  const { language, choose } = useLanguage()
  const who = me ? `${me.app.code}/${me.user.id}` : null
  const keptFor = localStorage.getItem(KEPT_FOR)
  const own = keptFor === who || keptFor === ANYBODY ? null : me?.user.language
  const isOther = isLanguage(own) && own !== language
  useEffect(() => {
    if (isOther) choose(own, false)
    else if (who !== null) keep(language, who)
  }, [isOther, own, who, language, choose])
  return !isOther
}

export interface Shown {
  language: Language
  words: Messages
}

/** Loads the first words: in the language of the URL's `lang` parameter, the stored one, or the
 * browser's. */
export async function firstWords(): Promise<Shown> {
  const language = first()
  const { default: words } = await fetched(WORDS[language])
  return { language, words }
}

/** Whether a user has signed in with this browser before. */
export const wasSomebodyHere = () => (localStorage.getItem(KEPT_FOR) ?? ANYBODY) !== ANYBODY

/** Provides the words of the chosen language. Starts with the words that were loaded first. */
export function Words({ first, children }: { first: Shown; children: ReactNode }) {
  const [wanted, setWanted] = useState<Language>(first.language)
  const [shown, setShown] = useState<Shown>(first)
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
      if (key === KEPT_AS && isLanguage(newValue)) setWanted(newValue)
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
        if (isAsked) keep(chosen)
        setWanted(chosen)
      },
    }),
    [language],
  )
  const zone = useMemo(() => Intl.DateTimeFormat().resolvedOptions().timeZone, [])
  return (
    <Chosen value={chosen}>
      <IntlProvider locale={language} messages={shown.words} timeZone={zone}>
        {children}
      </IntlProvider>
    </Chosen>
  )
}

function keep(language: Language, owner = ANYBODY): void {
  localStorage.setItem(KEPT_AS, language)
  localStorage.setItem(KEPT_FOR, owner)
}

function first(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  if (isLanguage(asked)) {
    keep(asked)
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
