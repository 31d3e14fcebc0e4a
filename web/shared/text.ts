// Text is text: nothing that somebody wrote becomes markup. Links are found here and nowhere else.

/** A piece of a text: plain, or with an address that may be opened. */
export interface Piece {
  text: string
  href?: string
}

/** An address that may be opened or loaded: absolute and of the web. Anything else is null. */
export function safeUrl(text: unknown): string | null {
  if (typeof text !== 'string') return null
  try {
    const url = new URL(text.trim())
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
  } catch {
    return null
  }
}

const ADDRESS = /https?:\/\/[^\s<>"'`]+/gi
// What ends a sentence rather than an address.
const ENDS = /[.,;:!?…]+$/

/** A text cut where addresses begin and end. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let from = 0
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimmed(match[0])
    const href = safeUrl(address)
    if (href === null) continue
    if (match.index > from) found.push({ text: text.slice(from, match.index) })
    found.push({ text: address, href })
    from = match.index + address.length
  }
  if (from < text.length) found.push({ text: text.slice(from) })
  return found
}

/** An address without the sentence around it: `(see https://a.example/b).` names `…/b`. */
function trimmed(address: string): string {
  let rest = address.replace(ENDS, '')
  const count = (letter: string) => rest.split(letter).length - 1
  while (rest.endsWith(')') && count(')') > count('(')) rest = rest.slice(0, -1).replace(ENDS, '')
  return rest
}

/** The first letters of the first and the last word, for a picture that is not there. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words[words.length - 1]] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}

/** A size as people read it. */
export function fileSize(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const step = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)), units.length - 1)
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step)
}
