// How the widget fits into the page around it: its language, its direction, its colours. Used by the
// loader, hence small.

import { colourOf, inkOn } from '../shared/colour'
import { LANGUAGES, type Language, type Settings } from './contract'

/** The first language that was asked for and that the app and the widget have. */
export function languageOf(settings: Settings, asked: (string | null | undefined)[]): Language {
  const known = LANGUAGES.filter((it) => settings.languages.includes(it))
  const wanted = asked.map((tag) => tag?.slice(0, 2).toLowerCase())
  const found = wanted.find((it) => known.some((language) => language === it))
  return (found ?? known[0] ?? 'en') as Language
}

/** Puts colours, side and direction on the root of everything that is drawn. */
export function dress(root: HTMLElement, { theme }: Settings, language: Language): void {
  const page = getComputedStyle(document.body)
  const colour = colourOf(page.getPropertyValue('--confab-colour') || theme.colour)
  root.style.setProperty('--colour', colour)
  root.style.setProperty('--ink', inkOn(colour))
  root.lang = language
  root.dir = page.direction
  root.dataset.side = theme.position
}
