/** Whether two say the same. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether something has parts of its own that have names. */
export function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A draft of one state, made one of another: what was not touched becomes as it is there, also
 * within a group. */
export function rebased<T extends object>(draft: T, from: T, to: T): T {
  const result = { ...draft }
  for (const name of Object.keys(to) as (keyof T)[]) {
    const [mine, before, now] = [draft[name], from[name], to[name]]
    if (isSame(mine, before)) result[name] = now
    else if (isGroup(mine) && isGroup(before) && isGroup(now)) {
      result[name] = rebased(mine, before, now) as T[keyof T]
    }
  }
  return result
}
