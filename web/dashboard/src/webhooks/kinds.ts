// The kinds of webhooks: those of the spec in the order in which one message tells them, then ours.
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

/** Kinds of deliveries that are no webhooks. */
export const OTHER_KINDS = ['push', 'channel_event', 'channel_send', 'channel_forward'] as const

/** Whose addresses are set with the button or the channel that they belong to. */
export const OF_OTHERS: readonly Kind[] = ['custom_button', 'channel_message']

export function isKind(text: string | null | undefined): text is Kind {
  return KINDS.some((kind) => kind === text)
}

/** Every kind with its endpoints. What goes to phones is no webhook. */
export function byKind(endpoints: Endpoint[]): { kind: Kind; endpoints: Endpoint[] }[] {
  return KINDS.map((kind) => ({ kind, endpoints: endpoints.filter((it) => it.kind === kind) }))
}

/** What calls about one endpoint name it by. */
export const handleOf = ({ id }: Endpoint): string => id

/** So many are counted; there may be more. */
const COUNTED_MAX = 10_000
export const isUncounted = ({ waiting }: Endpoint): boolean => waiting >= COUNTED_MAX

/** Whether it will look otherwise soon without anybody doing anything. */
export function isMoving({ state, waiting }: Endpoint): boolean {
  return state === 'failing' || (state === 'healthy' && waiting > 0)
}

const LOOK_MIN_MS = 10_000
const LOOK_MAX_MS = 120_000

/** When the endpoints are worth another look; false is never. What fails for long is tried less and
 * less often, and looked at as seldom. */
export function lookAgainMs(endpoints: Endpoint[], now: number): number | false {
  const waits = endpoints.filter(isMoving).map(({ state, failing_since }) => {
    const failsMs = state === 'failing' && failing_since ? now - Date.parse(failing_since) : 0
    return Math.min(Math.max(failsMs / 4, LOOK_MIN_MS), LOOK_MAX_MS)
  })
  return waits.length === 0 ? false : Math.min(...waits)
}

/** How an operator allows an address that is not public. */
export function allowLine(url: string): string | null {
  const host = URL.canParse(url) ? new URL(url) : null
  if (host === null) return null
  const port = host.port || (host.protocol === 'https:' ? '443' : '80')
  return `confab serve --webhook-allow ${host.hostname}:${port}`
}
