import { type RefObject, useEffect, useState } from 'react'
import type { Me } from '../../app/shapes'
import { replaceText } from './replaceText'

/** The text of a composer's field, stored on this device and shared with the other tabs. */
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
  /** Stores what the field reports. */
  const store = (text: string) => {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    setText(text)
  }
  /** Brings back a text that could not be sent, unless another one was begun meanwhile. */
  const restore = (text: string) => {
    if (localStorage.getItem(key)) return
    if (area.current) replaceText(area.current, text)
    else localStorage.setItem(key, text)
  }
  return [text, store, restore]
}
