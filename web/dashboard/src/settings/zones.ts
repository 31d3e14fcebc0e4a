/** The time zones that this browser knows, and the one that is set, whatever it is called. */
export function zonesWith(set: string): string[] {
  return [...new Set(['UTC', set, ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
