import { createTheme, type MantineColorsTuple } from '@mantine/core'

const teal: MantineColorsTuple = [
  '#e6f7f6',
  '#cdecea',
  '#9bd8d5',
  '#66c3be',
  '#3bb1aa',
  '#1fa59d',
  '#0b8a83',
  '#0b6e6e',
  '#085858',
  '#034444',
]

/** The Mantine theme. Its colors have WCAG AA contrast in both schemes; Mantine's dimmed text does
 * not. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 7,
  colors: { teal },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  cursorType: 'pointer',
  respectReducedMotion: true,
})
