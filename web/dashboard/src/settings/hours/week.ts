// The office hours of a week. Days are numbered from 0 to 6 starting with Sunday, as in the API;
// the page starts with Monday.

export interface Interval {
  day: number
  starttime: string
  endtime: string
}

export const DAYS = [1, 2, 3, 4, 5, 6, 0] as const

export const INTERVALS_MAX = 50

/** Default hours when an always-open office sets hours for the first time. */
export const USUAL: readonly Interval[] = [1, 2, 3, 4, 5].map((day) => ({
  day,
  starttime: '09:00',
  endtime: '17:00',
}))

/** Returns the error in a day's intervals, if any. Intervals until midnight end at 23:59. */
export function problemOf(week: readonly Interval[], day: number): 'order' | 'overlap' | null {
  const ofDay = week
    .filter((it) => it.day === day)
    .toSorted((a, b) => a.starttime.localeCompare(b.starttime))
  if (ofDay.some((it) => it.starttime >= it.endtime)) return 'order'
  const isOver = ofDay.some((it, at) => it.starttime < (ofDay[at - 1]?.endtime ?? ''))
  return isOver ? 'overlap' : null
}

/** Returns another interval for a day, after the existing ones if there is room. */
export function nextOf(week: readonly Interval[], day: number): Interval {
  const ends = week.filter((it) => it.day === day).map((it) => it.endtime)
  const last = ends.toSorted().at(-1)
  if (last === undefined) return { day, starttime: '09:00', endtime: '17:00' }
  const hour = Math.min(Number(last.slice(0, 2)) + 1, 22)
  const at = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  return { day, starttime: at(hour), endtime: at(hour + 1) }
}
