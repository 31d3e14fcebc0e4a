import { pieces } from '../../shared/text'

/** A text with line breaks and links. Everything else stays plain text. */
export function Words({ children }: { children: string }) {
  let at = 0
  return (
    <p class="words" dir="auto">
      {pieces(children).map(({ text, href }) => {
        at += text.length
        return href ? (
          <ExternalLink key={at} href={href}>
            {text}
          </ExternalLink>
        ) : (
          text
        )
      })}
    </p>
  )
}

/** A link that opens in a new tab, without referrer and opener. */
export function ExternalLink({
  href,
  children,
  ...rest
}: {
  href: string
  children: string
  class?: string
}) {
  return (
    <a {...rest} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
