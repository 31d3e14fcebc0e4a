/** The lines of a text as they are, also the one that is being written. */
export function originsIn(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** Without what says nothing, as it is kept. */
export function tidyOrigins(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

/** The first line that is no address of a site. */
export function wrongOrigin(lines: readonly string[]): string | undefined {
  return tidyOrigins(lines).find((line) => !isOrigin(line))
}

function isOrigin(line: string): boolean {
  const url = URL.parse(line)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.href === `${url.origin}/` && !/[?#]/.test(line)
}
