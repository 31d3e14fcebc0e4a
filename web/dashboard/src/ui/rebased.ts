/** Whether two say the same. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A draft of one state, made one of another: what was not touched becomes as it is there. */
export function rebased<T extends object>(draft: T, from: T, to: T): T {
  const result = { ...draft }
  for (const name of Object.keys(to) as (keyof T)[]) {
    if (isSame(draft[name], from[name])) result[name] = to[name]
  }
  return result
}
