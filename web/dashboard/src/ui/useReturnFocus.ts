import { useEffect, useRef } from 'react'
import { restoreFocus } from '../keys/regions'

/** Returns the focus to the previous element when a dialog closes, or is removed while it is
 * open. */
export function useReturnFocus(isOpen: boolean): void {
  // Read during rendering, because the dialog takes the focus before effects run.
  const before = useRef<Element | null>(null)
  if (isOpen) before.current ??= document.activeElement
  useEffect(() => {
    if (!isOpen) return
    return () => {
      const it = before.current
      before.current = null
      setTimeout(() => restoreFocus(it))
    }
  }, [isOpen])
}
