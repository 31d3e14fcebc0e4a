import type { KeyboardEvent } from 'react'

/** Enter sends, Shift+Enter breaks the line. Enter also ends a word that is being composed. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
}
