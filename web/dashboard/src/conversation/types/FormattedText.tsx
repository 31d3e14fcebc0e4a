import { Text } from '@mantine/core'
import { pieces } from '../../../../shared/text'
import classes from '../Conversation.module.css'

/** A text with its line breaks and clickable URLs. Markup in it is not interpreted. */
export function FormattedText({ children }: { children: string }) {
  let at = 0
  return (
    <Text className={classes.words}>
      {pieces(children).map(({ text, href }) => {
        const key = at
        at += text.length
        return href ? (
          <ExternalLink key={key} href={href}>
            {text}
          </ExternalLink>
        ) : (
          text
        )
      })}
    </Text>
  )
}

/** A link to another site, opened in a new tab without a referrer. */
export function ExternalLink({ href, children }: { href: string; children: string }) {
  return (
    <a className={classes.outside} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
