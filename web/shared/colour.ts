// Colours that an app chose: what can be read on them.

const HEX = /^#[0-9a-f]{6}$/i
const DEFAULT = '#0b6bcb'

/** A colour of six digits; anything else is ours. */
export function colourOf(text: unknown): string {
  return typeof text === 'string' && HEX.test(text.trim()) ? text.trim() : DEFAULT
}

/** Black or white, whichever can be read better: one of them always has a contrast of 4.5. */
export function inkOn(colour: string): string {
  const light = (at: number, weight: number) => {
    const part = +`0x${colour.slice(at, at + 2)}` / 255
    return weight * (part > 0.04 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92)
  }
  // Where the contrasts with black and with white are the same.
  return light(1, 0.2126) + light(3, 0.7152) + light(5, 0.0722) > 0.179 ? '#000' : '#fff'
}
