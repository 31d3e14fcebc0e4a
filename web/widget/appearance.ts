// The widget's language, direction and colors on the page. Used by the loader, so it must stay
// small.

import { colourOf, inkOn } from '../shared/colour'
import { LANGUAGES, type Language, type Settings } from './contract'

/** Returns the first requested language that both the app and the widget support, or the app's
 * first one. */
export function languageOf(settings: Settings, asked: (string | null | undefined)[]): Language {
  const known = LANGUAGES.filter((it) => settings.languages.includes(it))
  const wanted = asked.map((tag) => tag?.slice(0, 2).toLowerCase())
  const found = wanted.find((it) => known.some((language) => language === it))
  return (found ?? known[0] ?? 'en') as Language
}

/** Sets colors, side and direction on the root element. */
export function applyTheme(root: HTMLElement, { theme }: Settings, language: Language): void {
  const page = getComputedStyle(document.body)
  const colour = colourOf(page.getPropertyValue('--confab-colour') || theme.colour)
  root.style.setProperty('--colour', colour)
  root.style.setProperty('--ink', inkOn(colour))
  root.lang = language
  root.dir = page.direction
  root.dataset.side = theme.position
}
