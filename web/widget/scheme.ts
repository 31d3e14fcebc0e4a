import type { Settings } from './contract'

/** What the app says, else what the page says of itself, else what the system says. */
export function schemeOf({ theme }: Settings): 'light' | 'dark' {
  const page = getComputedStyle(document.documentElement).colorScheme
  const said = theme.scheme === 'auto' ? page : theme.scheme
  const isDark = said.includes('dark')
  if (isDark !== said.includes('light')) return isDark ? 'dark' : 'light'
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
