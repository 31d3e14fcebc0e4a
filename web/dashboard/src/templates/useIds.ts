import { useRef } from 'react'

/** Gives the same id for the same body until that is sent: what is sent again because no answer came
 * is said once. */
export function useIds() {
  const last = useRef({ text: '', id: '' })
  return {
    of(body: object): string {
      const text = JSON.stringify(body)
      if (last.current.text !== text) last.current = { text, id: crypto.randomUUID() }
      return last.current.id
    },
    forget(): void {
      last.current = { text: '', id: '' }
    },
  }
}
