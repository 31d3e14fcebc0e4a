/** The languages of the widget, as they call themselves. */
export const WIDGET_LANGUAGES = [
  ['en', 'English'],
  ['id', 'Bahasa Indonesia'],
] as const
