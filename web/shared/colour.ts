// Colors chosen by an app, and the text colors that are readable on them (WCAG 2.2, 1.4.3).

const HEX = /^#[0-9a-f]{6}$/i
const DEFAULT = '#0b6bcb'

export const isColour = (text: string): boolean => HEX.test(text)

/** Returns a color of six hex digits, or the default color if the value is not one. */
export function colourOf(text: unknown): string {
  return typeof text === 'string' && isColour(text.trim()) ? text.trim() : DEFAULT
}

/** Returns black or white: the one with the higher contrast, which is at least 4.5 on any color. */
export function inkOn(colour: string): string {
  // At this luminance the contrasts with black and with white are equal.
  return brightness(colour) > 0.179 ? '#000' : '#fff'
}

/** Returns the contrast ratio of two colors, from 1 (equal) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [a, b] = [brightness(one) + 0.05, brightness(other) + 0.05]
  return Math.max(a, b) / Math.min(a, b)
}

/** Returns the relative luminance of a color, from 0 to 1. */
function brightness(colour: string): number {
  const light = (at: number, weight: number) => {
    const part = +`0x${colour.slice(at, at + 2)}` / 255
    return weight * (part > 0.04 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92)
  }
  return light(1, 0.2126) + light(3, 0.7152) + light(5, 0.0722)
}
