/** Whether services can bring anything to this server: they call by https only, and nobody outside
 * reaches an address of one's own machine. */
export function isReached(publicUrl: string): boolean {
  if (!URL.canParse(publicUrl)) return false
  const { protocol, hostname } = new URL(publicUrl)
  const isOwn =
    /(^|\.)localhost$/.test(hostname) ||
    /^127\./.test(hostname) ||
    ['0.0.0.0', '[::1]', '[::]'].includes(hostname)
  return protocol === 'https:' && !isOwn
}
