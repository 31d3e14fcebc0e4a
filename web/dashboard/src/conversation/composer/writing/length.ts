/** Maximum length of a message or note, in characters as the server counts them. */
export const LENGTH_MAX = 4000
/** Length from which the number of characters left is shown. */
export const LENGTH_SHOWN = 3600

export const lengthOf = (text: string) => [...text.trim()].length
