/** Characters of a message or a note at most, as the server counts them. */
export const LENGTH_MAX = 4000
/** From here on it is said how much is left. */
export const LENGTH_SHOWN = 3600

export const lengthOf = (text: string) => [...text.trim()].length
