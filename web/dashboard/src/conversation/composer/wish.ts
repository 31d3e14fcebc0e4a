// Which conversation the agent asked to write in, while it is being taken.

import { isTextField } from '../../keys/KeysProvider'

let wished: string | null = null

/** Asks for the focus in the composer of a room as soon as it can be written in. */
export function wishComposer(room: string): void {
  wished = room
}

export function dropWish(): void {
  wished = null
}

/** Focuses a composer if it was asked for, unless the agent writes elsewhere by now. */
export function grantWish(room: string, area: HTMLElement | null): void {
  if (wished !== room || area === null) return
  wished = null
  const isElsewhere = isTextField(document.activeElement)
  if (!isElsewhere && !document.querySelector('[aria-modal="true"]')) area.focus()
}
