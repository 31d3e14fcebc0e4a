import { useCallback, useEffect, useState } from 'react'

/** What is secret is on the screen for so long. */
export const SHOWN_MS = 60_000

interface Shortly<T> {
  value: T | null
  /** When it is hidden by itself. */
  until: number
  show: (value: T) => void
  hide: () => void
}

/** Holds something for a minute, in this component and nowhere else: no cache has it, and it is
 * gone with the screen. */
export function useShortly<T>(): Shortly<T> {
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
