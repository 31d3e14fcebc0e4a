/** The color schemes of the page. */
export const SCHEMES = ['auto', 'light', 'dark'] as const
