interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): unknown
}

/** Installs a Trusted Types policy under which no text becomes markup. Style sheets written as text
 * contain no `<`; any text with one is rejected. */
export function guardMarkup(): void {
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('This page renders no markup from text.')
      return text
    },
  })
}
