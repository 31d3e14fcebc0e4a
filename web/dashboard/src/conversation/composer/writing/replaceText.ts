/** Replaces part of a field's text (by default all of it) as if the user had typed it: the caret
 * moves behind the new text, and the field reports the change. */
export function replaceText(
  area: HTMLTextAreaElement,
  text: string,
  from = 0,
  to = area.value.length,
) {
  area.setRangeText(text, from, to, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
