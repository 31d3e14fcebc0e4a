/** Whether providers can deliver to this server: they use https only, and cannot reach the
 * addresses of one's own machine. */
export function isReachable(publicUrl: string): boolean {
  if (!URL.canParse(publicUrl)) return false
  const { protocol, hostname } = new URL(publicUrl)
  const isOwn =
    /(^|\.)localhost$/.test(hostname) ||
    /^127\./.test(hostname) ||
    ['0.0.0.0', '[::1]', '[::]'].includes(hostname)
  return protocol === 'https:' && !isOwn
}
