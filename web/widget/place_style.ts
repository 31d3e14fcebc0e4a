/** Gives a shadow root its styles in a way that no policy of the page forbids. */
export function adopt(root: ShadowRoot | Document, css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
