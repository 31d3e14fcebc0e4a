/** Which colours the page has. */
export const SCHEMES = ['auto', 'light', 'dark'] as const
