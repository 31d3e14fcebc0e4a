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
