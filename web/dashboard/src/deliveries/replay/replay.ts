import { call, withQuery } from '../../../../shared/call'
import type { Data, Delivery } from '../../app/shapes'

type Wanted = Record<string, string>

const PAGE = 100
/** Maximum number of pages to count; beyond that, the exact number does not matter. */
const PAGES_MAX = 20

/** Counts the matching deliveries, up to `PAGES_MAX` pages. */
export async function count(
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{ count: number; isAll: boolean }> {
  let count = 0
  let before = ''
  for (let page = 0; page < PAGES_MAX; page++) {
    const path = withQuery('/api/v2/webhooks/deliveries', { ...wanted, limit: PAGE, before })
    const { data } = await call<Data<{ deliveries: Delivery[]; next?: string | null }>>(
      'GET',
      path,
      undefined,
      signal,
    )
    count += data.deliveries.length
    if (!data.next) return { count, isAll: true }
    before = data.next
  }
  return { count, isAll: false }
}

/** Replays all matching deliveries, oldest first, and reports progress. If aborted, the running
 * request still completes. */
export async function replayAll(
  wanted: Wanted,
  onSent: (sent: number) => void,
  signal: AbortSignal,
): Promise<number> {
  let sent = 0
  let after: string | null | undefined
  do {
    const body = after ? { ...wanted, after } : wanted
    const { data } = await call<Data<{ replayed: number; next?: string | null }>>(
      'POST',
      '/api/v2/webhooks/replay',
      body,
    )
    sent += data.replayed
    after = data.next
    if (!signal.aborted) onSent(sent)
  } while (after && !signal.aborted)
  return sent
}
