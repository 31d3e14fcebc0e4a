import { useEffect, useState } from 'react'
import type { Me } from '../../app/shapes'

/** The text of a composer, stored on this device and shared with the other tabs. */
export function useDraft(
  me: Me,
  room: string,
  kind: 'draft' | 'note',
): [text: string, setText: (text: string) => void, restore: (text: string) => void] {
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
  // A text that could not be sent comes back, unless another one was begun meanwhile.
  const restore = (text: string) => localStorage.getItem(key) || put(text)
  return [text, put, restore]
}
