/** The health states of a provider channel. */
export const STATES = [
  'ok',
  'limited',
  'unauthorized',
  'misconfigured',
  'unreachable',
  'off',
] as const
export type State = (typeof STATES)[number]

/** Whether this version has texts for a state; newer servers may have others. */
export const isState = (text: string): text is State => STATES.some((state) => state === text)

/** The ways in which a provider's events arrive. */
export const WAYS = ['webhook', 'polling', 'imap', 'lmtp', 'printed'] as const
export type Way = (typeof WAYS)[number]

export const isWay = (text: string): text is Way => WAYS.some((way) => way === text)
