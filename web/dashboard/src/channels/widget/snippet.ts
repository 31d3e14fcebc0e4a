/** The line that a shop puts on its page. */
export function snippetOf(server: string, app: string): string {
  return `<script src="${server}/widget.js" data-app="${app}" async></script>`
}

/** What a page with a policy of its own must allow, and nothing else. */
export function policyLines(server: string): string {
  const socket = server.replace(/^http/, 'ws')
  return [`script-src  ${server}`, `connect-src ${server} ${socket}`, `img-src     ${server}`].join(
    '\n',
  )
}
