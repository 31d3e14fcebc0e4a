import { Text } from '@mantine/core'
import { pieces } from '../../../../shared/text'
import classes from '../Conversation.module.css'

/** A text with its line breaks and clickable URLs. Markup in it is not interpreted. */
export function Words({ children }: { children: string }) {
  let at = 0
  return (
    <Text className={classes.words}>
      {pieces(children).map(({ text, href }) => {
        const key = at
        at += text.length
        return href ? (
          <Outside key={key} href={href}>
            {text}
          </Outside>
        ) : (
          text
        )
      })}
    </Text>
  )
}

/** A link to another site, opened in a new tab without a referrer. */
export function Outside({ href, children }: { href: string; children: string }) {
  return (
    <a className={classes.outside} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
