/** Moves the focus to the next region of the page, cyclically: navigation, list, conversation,
 * panel. Regions are marked by `data-region`. */
export function focusNextRegion(step: 1 | -1): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(isShown)
  const here = parts.findLastIndex((part) => part.contains(document.activeElement))
  const from = here === -1 && step === -1 ? 0 : here
  const next = parts[(from + step + parts.length) % parts.length]
  if (next && !next.hasAttribute('tabindex')) next.tabIndex = -1
  next?.focus()
}

/** Whether no visible and enabled element has the focus. */
export function isFocusLost(): boolean {
  const it = document.activeElement
  if (it === null || it === document.body) return true
  return !(it instanceof HTMLElement && isShown(it)) || it.matches(':disabled')
}

/** Moves the focus to the visible messages, or otherwise to the start of the screen. */
export function focusStart(): void {
  const found = ['[data-messages]', '[data-start]', '#main', '[data-region]']
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((it) => it !== null && isShown(it))
  found?.focus({ preventScroll: true })
}

/** If the focus is lost, moves it to the previous element or to the start. Does nothing while a
 * dialog is open. */
export function restoreFocus(before?: Element | null): void {
  if (!isFocusLost() || document.querySelector('[aria-modal="true"]')) return
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  if (isFocusLost()) focusStart()
}

function isShown(part: HTMLElement): boolean {
  return part.getClientRects().length > 0
}
