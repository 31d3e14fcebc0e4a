// The kinds of webhooks: those of the spec, in the order in which one message triggers them, then
// our own.
import type { Endpoint } from '../app/shapes'

export const KINDS = [
  'new_session',
  'agent_allocation',
  'bot',
  'custom_button',
  'mark_as_resolved',
  'logout',
  'channel_message',
  'chat_message',
  'endpoint_state',
] as const
export type Kind = (typeof KINDS)[number]

/** Kinds of deliveries that are not webhooks. */
export const OTHER_KINDS = ['push', 'channel_event', 'channel_send', 'channel_forward'] as const

/** Kinds whose URLs are set with their custom button or channel. */
export const KINDS_SET_ELSEWHERE: readonly Kind[] = ['custom_button', 'channel_message']

export function isKind(text: string | null | undefined): text is Kind {
  return KINDS.some((kind) => kind === text)
}

/** Groups endpoints by kind. Push notifications are not webhooks and are left out. */
export function byKind(endpoints: Endpoint[]): { kind: Kind; endpoints: Endpoint[] }[] {
  return KINDS.map((kind) => ({ kind, endpoints: endpoints.filter((it) => it.kind === kind) }))
}

/** Returns the id of an endpoint in API paths. */
export const pathIdOf = ({ id }: Endpoint): string => id

/** Number at which the server stops counting. */
const COUNTED_MAX = 10_000
export const isUncounted = ({ waiting }: Endpoint): boolean => waiting >= COUNTED_MAX

/** Whether the endpoint's state will change soon by itself. */
export function isChanging({ state, waiting }: Endpoint): boolean {
  return state === 'failing' || (state === 'healthy' && waiting > 0)
}

const LOOK_MIN_MS = 10_000
const LOOK_MAX_MS = 120_000

/** Returns the time until the endpoints are reloaded in milliseconds, or false if nothing will
 * change. Failing endpoints are tried less and less often, and reloaded as rarely. */
export function nextPollMs(endpoints: Endpoint[], now: number): number | false {
  const waits = endpoints.filter(isChanging).map(({ state, failing_since }) => {
    const failsMs = state === 'failing' && failing_since ? now - Date.parse(failing_since) : 0
    return Math.min(Math.max(failsMs / 4, LOOK_MIN_MS), LOOK_MAX_MS)
  })
  return waits.length === 0 ? false : Math.min(...waits)
}

/** Returns the command with which an operator allows a private address, or null if the URL is
 * invalid. */
export function allowCommand(url: string): string | null {
  const host = URL.canParse(url) ? new URL(url) : null
  if (host === null) return null
  const port = host.port || (host.protocol === 'https:' ? '443' : '80')
  return `confab serve --webhook-allow ${host.hostname}:${port}`
}
