// The room whose composer gets the focus once the agent may write there.

import { isTextField } from '../../keys/KeysProvider'

let wished: string | null = null

/** Requests the focus for a room's composer, as soon as the agent may write there. */
export function wishComposer(room: string): void {
  wished = room
}

export function dropWish(): void {
  wished = null
}

/** Focuses a composer if that was requested, unless another text field has the focus or a dialog is
 * open. */
export function grantWish(room: string, area: HTMLElement | null): void {
  if (wished !== room || area === null) return
  wished = null
  const isElsewhere = isTextField(document.activeElement)
  if (!isElsewhere && !document.querySelector('[aria-modal="true"]')) area.focus()
}
