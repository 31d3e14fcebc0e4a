/** Returns the time zones that the browser supports, and the current one even if it is not among
 * them. */
export function zonesWith(set: string): string[] {
  return [...new Set(['UTC', set, ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
