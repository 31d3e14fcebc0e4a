/** The widget's languages, by their own names. */
export const WIDGET_LANGUAGES = [
  ['en', 'English'],
  ['id', 'Bahasa Indonesia'],
] as const
