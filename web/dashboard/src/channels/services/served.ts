import type { ServiceWord } from './kinds'

/** The kinds that the server has. A test fails as soon as its own document says something else: a kind
 * that is built is shown by writing it here. */
export const SERVED: readonly ServiceWord[] = ['telegram', 'wa', 'line', 'fb', 'ig', 'email']
