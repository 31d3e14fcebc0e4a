// The count of unread messages before the page's title.

let written = ''

export function countInTitle(count: number): void {
  // What the page changed meanwhile is its title now.
  const isOurs = document.title === written
  const own = isOurs ? document.title.replace(/^\(\d+\) /, '') : document.title
  written = count > 0 ? `(${count}) ${own}` : own
  if (isOurs || count > 0) document.title = written
}
