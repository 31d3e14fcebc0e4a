import type { Settings } from './contract'

/** Returns the color scheme of the app, or else of the page, or else of the system. */
export function schemeOf({ theme }: Settings): 'light' | 'dark' {
  const page = getComputedStyle(document.documentElement).colorScheme
  const scheme = theme.scheme === 'auto' ? page : theme.scheme
  const isDark = scheme.includes('dark')
  if (isDark !== scheme.includes('light')) return isDark ? 'dark' : 'light'
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
