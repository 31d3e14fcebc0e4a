// The room whose composer gets the focus once the agent may write there.

import { isTextField } from '../../keys/KeysProvider'

let requestedRoom: string | null = null

/** Requests the focus for a room's composer, as soon as the agent may write there. */
export function requestComposerFocus(room: string): void {
  requestedRoom = room
}

export function cancelComposerFocus(): void {
  requestedRoom = null
}

/** Focuses a composer if that was requested, unless another text field has the focus or a dialog is
 * open. */
export function focusComposerIfRequested(room: string, area: HTMLElement | null): void {
  if (requestedRoom !== room || area === null) return
  requestedRoom = null
  const isElsewhere = isTextField(document.activeElement)
  if (!isElsewhere && !document.querySelector('[aria-modal="true"]')) area.focus()
}
