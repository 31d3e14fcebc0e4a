import { type RefObject, useEffect, useState } from 'react'
import type { Me } from '../../../app/shapes'
import { replaceText } from './replaceText'

/** Returns the text of a composer's field and functions to store and restore it. The text is stored
 * on this device and shared with the user's other tabs. */
export function useDraft(
  me: Me,
  room: string,
  kind: 'draft' | 'note',
  area: RefObject<HTMLTextAreaElement | null>,
): [text: string, store: (text: string) => void, restore: (text: string) => void] {
  const key = `confab-${kind}/${me.app.code}/${me.user.id}/${room}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === key && area.current) replaceText(area.current, event.newValue ?? '')
    }
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [key, area])
  /** Stores the text that the field reports. */
  const store = (text: string) => {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    setText(text)
  }
  /** Restores a text that could not be sent, unless the field has a new text by now. */
  const restore = (text: string) => {
    if (localStorage.getItem(key)) return
    if (area.current) replaceText(area.current, text)
    else localStorage.setItem(key, text)
  }
  return [text, store, restore]
}
