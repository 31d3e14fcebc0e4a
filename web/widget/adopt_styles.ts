/** Adds styles to a shadow root. Unlike a style element, a constructed style sheet is never blocked
 * by the page's content security policy. */
export function adopt(root: ShadowRoot | Document, css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
