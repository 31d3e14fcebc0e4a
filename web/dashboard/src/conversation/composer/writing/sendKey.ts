import type { KeyboardEvent } from 'react'
import type { Preferences } from '../../../app/preferences'

/** Whether a key event sends the text. Enter that ends an input method's composition does not. */
export function isSendKey(event: KeyboardEvent, key: Preferences['sendKey']): boolean {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return false
  const isMod = event.ctrlKey || event.metaKey
  return key === 'mod-enter' ? isMod : !event.shiftKey
}
