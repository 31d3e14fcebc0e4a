import type { Me } from '../../app/shapes'

const keyOf = (me: Me, room: string) => `confab-note-name/${me.app.code}/${me.user.id}/${room}`

interface Named {
  text: string
  unique_temp_id: string
}

/** A note with the name that it is sent by, kept on this device: after a lost answer, and after a
 * reload, the same text is the same note. */
export function named(me: Me, room: string, text: string): Named {
  const key = keyOf(me, room)
  const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Named | null
  if (kept?.text === text) return kept
  const note = { text, unique_temp_id: crypto.randomUUID() }
  localStorage.setItem(key, JSON.stringify(note))
  return note
}

/** The note is kept: the same text would be another one. */
export function forgetName(me: Me, room: string): void {
  localStorage.removeItem(keyOf(me, room))
}
