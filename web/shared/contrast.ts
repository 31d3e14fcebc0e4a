// How well colours can be told apart (WCAG 2.2, 1.4.3).

const HEX = /^#[0-9a-f]{6}$/i

/** From 1 (the same) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [brightness(one), brightness(other)].sort((a, b) => b - a) as [
    number,
    number,
  ]
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, whichever is read better on a colour. */
export function readableOn(colour: string): '#000000' | '#ffffff' {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000'
}

export const isColour = (text: string) => HEX.test(text)

/** How bright people see a colour, from 0 to 1. */
function brightness(colour: string): number {
  const part = (at: number) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}
