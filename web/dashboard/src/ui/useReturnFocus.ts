import { useEffect, useRef } from 'react'
import { keepFocus } from '../keys/regions'

/** Gives the focus back to what had it before a dialog that is removed while it is open. */
export function useReturnFocus(isOpen: boolean): void {
  // Read while rendering: the dialog takes the focus before any effect runs.
  const before = useRef<Element | null>(null)
  if (isOpen) before.current ??= document.activeElement
  useEffect(() => {
    if (!isOpen) return
    return () => {
      const it = before.current
      before.current = null
      setTimeout(() => keepFocus(it))
    }
  }, [isOpen])
}
