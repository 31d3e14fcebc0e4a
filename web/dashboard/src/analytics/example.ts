import type { AnalyticsPoint } from '../app/shapes'

/** Two weeks of example data, shown to apps that have no data yet. */
export const EXAMPLE: AnalyticsPoint[] = Array.from({ length: 14 }, (_, at) => ({
  at: `2026-01-${String(at + 1).padStart(2, '0')}T00:00:00Z`,
  opened: 12 + ((at * 7) % 11),
  resolved: 10 + ((at * 5) % 9),
  messages_in: 90,
  messages_out: 80,
  first_reply_median_s: 60 + ((at * 13) % 50),
  resolve_median_s: 1800,
  rating: { count: 0, average: null },
}))
