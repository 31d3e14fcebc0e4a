/** Moves the focus to the next part of the page, round and round: navigation, list, conversation,
 * what stands beside it. A part says that it is one by `data-region`. */
export function goRound(step: 1 | -1): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(isShown)
  const here = parts.findLastIndex((part) => part.contains(document.activeElement))
  const from = here === -1 && step === -1 ? 0 : here
  const next = parts[(from + step + parts.length) % parts.length]
  if (next && !next.hasAttribute('tabindex')) next.tabIndex = -1
  next?.focus()
}

function isShown(part: HTMLElement): boolean {
  return part.getClientRects().length > 0
}
