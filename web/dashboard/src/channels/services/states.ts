/** How a channel of a service can be. */
export const STATES = [
  'ok',
  'limited',
  'unauthorized',
  'misconfigured',
  'unreachable',
  'off',
] as const
export type State = (typeof STATES)[number]

/** Servers may know more. */
export const isState = (text: string): text is State => STATES.some((state) => state === text)

/** How what happens comes in. */
export const WAYS = ['webhook', 'polling', 'imap', 'lmtp', 'printed'] as const
export type Way = (typeof WAYS)[number]

export const isWay = (text: string): text is Way => WAYS.some((way) => way === text)
