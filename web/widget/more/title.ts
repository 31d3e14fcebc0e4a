// The number of unread messages in the page's title.

let written = ''

export function countInTitle(count: number): void {
  // If the page has changed the title since, the new one is the page's own.
  const isOurs = document.title === written
  const own = isOurs ? document.title.replace(/^\(\d+\) /, '') : document.title
  written = count > 0 ? `(${count}) ${own}` : own
  if (isOurs || count > 0) document.title = written
}
