// Formatting of untrusted text: it never becomes markup, and links are recognized only here.

/** A part of a text. `href` is set for a link. */
export interface Piece {
  text: string
  href?: string
}

/** Returns an absolute `http` or `https` URL, or null if the value is not one. */
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
// Punctuation that ends a sentence, not a URL.
const ENDS = /[.,;:!?…]+$/

/** Splits a text into links and the text between them. */
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

/** Removes the punctuation after a URL: `(see https://a.example/b).` contains the URL `…/b`. */
function trimmed(address: string): string {
  let rest = address.replace(ENDS, '')
  const count = (letter: string) => rest.split(letter).length - 1
  while (rest.endsWith(')') && count(')') > count('(')) rest = rest.slice(0, -1).replace(ENDS, '')
  return rest
}

/** Returns the first letters of the first and last word, to replace a missing avatar. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words[words.length - 1]] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}

/** Formats a file size for a locale, such as `1.2 kB`. */
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
