import en from './words/en.json'
import id from './words/id.json'

const WORDS = { en, id }
export type DemoLanguage = keyof typeof WORDS

export function isDemoLanguage(text: string | null | undefined): text is DemoLanguage {
  return text === 'en' || text === 'id'
}

/** Sets the texts of all `data-word` elements to a language. Returns the texts. */
export function fill(language: DemoLanguage): typeof en {
  const words = WORDS[language]
  document.documentElement.lang = language
  for (const place of document.querySelectorAll<HTMLElement>('[data-word]')) {
    place.textContent = words[place.dataset.word as keyof typeof en]
  }
  return words
}
