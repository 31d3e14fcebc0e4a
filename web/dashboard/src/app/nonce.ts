/** The nonce of this page's Content Security Policy, which styles must carry. The server inserts it
 * into the document. */
export const nonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
