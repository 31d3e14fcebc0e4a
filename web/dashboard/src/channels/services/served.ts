import type { ServiceWord } from './kinds'

/** The provider kinds that the dashboard shows. A test fails if the OpenAPI document has others;
 * add a new kind here. */
export const SERVED: readonly ServiceWord[] = ['telegram', 'wa', 'line', 'fb', 'ig', 'email']
