interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): unknown
}

/** Nothing becomes markup on this page. Style sheets that a part of the page writes as text have no
 * `<` in them; whatever has one is refused, whoever made it. */
export function guardMarkup(): void {
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('This page renders no markup from text.')
      return text
    },
  })
}
