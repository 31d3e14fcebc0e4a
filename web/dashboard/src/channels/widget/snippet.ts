/** Returns the script tag that embeds the widget. */
export function snippetOf(server: string, app: string): string {
  return `<script src="${server}/widget.js" data-app="${app}" async></script>`
}

/** Returns the sources that a page's Content Security Policy must allow for the widget. */
export function policyLines(server: string): string {
  const socket = server.replace(/^http/, 'ws')
  return [`script-src  ${server}`, `connect-src ${server} ${socket}`, `img-src     ${server}`].join(
    '\n',
  )
}
