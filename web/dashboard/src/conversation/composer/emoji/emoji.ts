import type { Language } from '../../../app/WordsProvider'
import { EMOJI_NAMES } from './emoji_names'

export interface Emoji {
  sign: string
  name: Record<Language, string>
}

const ALL: Emoji[] = EMOJI_NAMES.trim()
  .split('\n')
  .map((line) => {
    const [sign = '', en = '', id = ''] = line.split('|')
    return { sign, name: { en, id } }
  })

/** Returns the emoji with a word that starts with the text. Matches in `language` come first. */
export function find(text: string, language: Language): Emoji[] {
  const asked = text.trim().toLocaleLowerCase().replaceAll('_', ' ')
  if (asked === '') return ALL
  const fits = (name: string) => ` ${name.toLocaleLowerCase()}`.includes(` ${asked}`)
  const own = ALL.filter((it) => fits(it.name[language]))
  const others = ALL.filter((it) => !own.includes(it) && Object.values(it.name).some(fits))
  return [...own, ...others]
}
