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
export const TRANSPORTS = ['webhook', 'polling', 'imap', 'lmtp', 'printed'] as const
export type Transport = (typeof TRANSPORTS)[number]

export const isTransport = (text: string): text is Transport =>
  TRANSPORTS.some((way) => way === text)
