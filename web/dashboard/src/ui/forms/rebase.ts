/** Whether two values have the same JSON. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether a value is an object with named fields. */
export function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Moves a draft from one base to another: unchanged fields take the values of `to`, also within
 * nested objects. */
export function rebase<T extends object>(draft: T, from: T, to: T): T {
  const result = { ...draft }
  for (const name of Object.keys(to) as (keyof T)[]) {
    const [mine, before, now] = [draft[name], from[name], to[name]]
    if (isSame(mine, before)) result[name] = now
    else if (isGroup(mine) && isGroup(before) && isGroup(now)) {
      result[name] = rebase(mine, before, now) as T[keyof T]
    }
  }
  return result
}
