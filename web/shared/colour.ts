// Colours that an app chose: what can be read on them (WCAG 2.2, 1.4.3).

const HEX = /^#[0-9a-f]{6}$/i
const DEFAULT = '#0b6bcb'

export const isColour = (text: string): boolean => HEX.test(text)

/** A colour of six digits; anything else is ours. */
export function colourOf(text: unknown): string {
  return typeof text === 'string' && isColour(text.trim()) ? text.trim() : DEFAULT
}

/** Black or white, whichever can be read better: one of them always has a contrast of 4.5. */
export function inkOn(colour: string): string {
  // Where the contrasts with black and with white are the same.
  return brightness(colour) > 0.179 ? '#000' : '#fff'
}

/** How far two colours are apart, from 1 (the same) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [a, b] = [brightness(one) + 0.05, brightness(other) + 0.05]
  return Math.max(a, b) / Math.min(a, b)
}

/** How bright people see a colour, from 0 to 1. */
function brightness(colour: string): number {
  const light = (at: number, weight: number) => {
    const part = +`0x${colour.slice(at, at + 2)}` / 255
    return weight * (part > 0.04 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92)
  }
  return light(1, 0.2126) + light(3, 0.7152) + light(5, 0.0722)
}
