// Durations of an attempt's phases, in order.
import type { Phases } from '../../app/shapes'

export const PHASES = ['name', 'connect', 'tls', 'head', 'body'] as const
export type PhaseName = (typeof PHASES)[number]

export interface PhaseBar {
  phase: PhaseName
  startUs: number
  us: number
}

/** Returns the bars of the phases that were reached. Reused connections have no name, connect and
 * TLS phase. */
export function barsOf(phases: Phases): PhaseBar[] {
  const bars: PhaseBar[] = []
  let startUs = 0
  for (const phase of PHASES) {
    const us = phases[phase]
    if (us === null || us === undefined) continue
    bars.push({ phase, startUs, us })
    startUs += us
  }
  return bars
}

export function totalUs(phases: Phases): number {
  return barsOf(phases).reduce((sum, { us }) => sum + us, 0)
}

/** Returns the longest duration, which is the scale of all bars in a list. */
export function longestUs(all: Phases[]): number {
  return Math.max(1, ...all.map(totalUs))
}

/** Returns a bar's position and width in thousandths of the whole. Nonzero durations get a visible
 * width. */
export function positionOf(
  { startUs, us }: PhaseBar,
  wholeUs: number,
): { x: number; width: number } {
  const width = Math.max(us === 0 ? 0 : 4, (us / wholeUs) * 1000)
  const x = Math.min((startUs / wholeUs) * 1000, 1000 - width)
  return { x: Math.round(x * 10) / 10, width: Math.round(width * 10) / 10 }
}

/** Returns a duration in milliseconds or seconds, rounded for display. */
export function displayTime(us: number): { unit: 'ms' | 's'; amount: number } {
  if (us >= 1_000_000) return { unit: 's', amount: Math.round(us / 10_000) / 100 }
  return {
    unit: 'ms',
    amount: Math.round(us / (us < 10_000 ? 10 : 1000)) / (us < 10_000 ? 100 : 1),
  }
}
