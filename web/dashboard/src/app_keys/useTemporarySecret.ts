import { useCallback, useEffect, useState } from 'react'

/** Time for which secrets are shown. */
export const SHOWN_MS = 60_000

interface TemporarySecret<T> {
  value: T | null
  /** Time at which the value is hidden automatically, in milliseconds. */
  until: number
  show: (value: T) => void
  hide: () => void
}

/** Holds a secret for a minute in this component's state. It is in no cache, and is gone when the
 * component is unmounted. */
export function useTemporarySecret<T>(): TemporarySecret<T> {
  const [held, setHeld] = useState<{ value: T; until: number } | null>(null)
  useEffect(() => {
    if (held === null) return
    const timer = setTimeout(() => setHeld(null), held.until - Date.now())
    return () => clearTimeout(timer)
  }, [held])
  const show = useCallback((value: T) => setHeld({ value, until: Date.now() + SHOWN_MS }), [])
  const hide = useCallback(() => setHeld(null), [])
  return { value: held?.value ?? null, until: held?.until ?? 0, show, hide }
}
