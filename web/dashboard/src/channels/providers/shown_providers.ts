import type { ProviderName } from './kinds'

/** The provider kinds that the dashboard shows. A test fails if the OpenAPI document has others;
 * add a new kind here. */
export const SHOWN_PROVIDERS: readonly ProviderName[] = [
  'telegram',
  'wa',
  'line',
  'fb',
  'ig',
  'email',
]
