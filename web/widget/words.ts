import type { Language } from './contract'
import en from './words/en.json'

type Words = Record<keyof typeof en, string>
export type Word = keyof typeof en

/** Loaded languages. Each language other than English is a file of its own. */
const known: Partial<Record<Language, Words>> = { en }

/** Loads the texts of a language. If that fails, English is used. */
export async function loadWords(language: Language): Promise<void> {
  if (known[language]) return
  const found = await import('./words/id.json').catch(() => null)
  if (found) known[language] = found.default
}

/** Returns a text in a language, with its arguments inserted. */
export function translate(
  language: Language,
  word: Word,
  values: Record<string, string | number> = {},
): string {
  const text = (known[language] ?? en)[word]
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}
