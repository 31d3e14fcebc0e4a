/** Returns the lines of a text unchanged, including the one being typed. */
export function originsIn(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** Returns the lines trimmed and without empty ones, as they are saved. */
export function tidyOrigins(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

/** Returns the first line that is not an origin. */
export function wrongOrigin(lines: readonly string[]): string | undefined {
  return tidyOrigins(lines).find((line) => !isOrigin(line))
}

function isOrigin(line: string): boolean {
  const url = URL.parse(line)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.href === `${url.origin}/` && !/[?#]/.test(line)
}
