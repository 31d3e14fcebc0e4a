import { useEffect, useState } from 'react'
import type { Me } from '../../app/shapes'

/** A text that outlives the page, and that the other tabs see. `kind` keeps replies and notes apart. */
export function useDraft(
  me: Me,
  room: string,
  kind: 'draft' | 'note',
): [text: string, setText: (text: string) => void, forget: (sent: string) => void] {
  const key = `confab-${kind}/${me.app.code}/${me.user.id}/${room}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => {
    const inAnotherTab = (event: StorageEvent) => {
      if (event.key === key) setText(event.newValue ?? '')
    }
    addEventListener('storage', inAnotherTab)
    return () => removeEventListener('storage', inAnotherTab)
  }, [key])
  const put = (text: string) => {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    setText(text)
  }
  // What was written while something else was on its way stays.
  const forget = (sent: string) => localStorage.getItem(key)?.trim() === sent && put('')
  return [text, put, forget]
}
