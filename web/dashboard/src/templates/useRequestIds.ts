import { useRef } from 'react'

/** Returns the same id for the same body until it is sent. The server then ignores a repeated
 * request. */
export function useRequestIds() {
  const last = useRef({ text: '', id: '' })
  return {
    of(body: object): string {
      const text = JSON.stringify(body)
      if (last.current.text !== text) last.current = { text, id: crypto.randomUUID() }
      return last.current.id
    },
    reset(): void {
      last.current = { text: '', id: '' }
    },
  }
}
