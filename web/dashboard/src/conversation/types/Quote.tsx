import { Text, UnstyledButton } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { type Payload, text } from '../../../../shared/payload'
import classes from '../Conversation.module.css'

interface QuoteProps {
  payload: Payload
  jump: (id: string) => void
}

/** The quoted message; a click jumps to it. */
export function Quote({ payload, jump }: QuoteProps) {
  const words = useTranslations('message')
  const id = text(payload.replied_comment_id)
  const shown = (
    <>
      <Text component="span" display="block" size="xs" fw={600}>
        {text(payload.replied_comment_sender_username)}
      </Text>
      <Text component="span" size="sm" lineClamp={3}>
        {text(payload.replied_comment_message) || text(payload.replied_comment_type)}
      </Text>
    </>
  )
  return (
    <blockquote className={classes.quote}>
      {/^\d+$/.test(id) ? (
        <UnstyledButton title={words('goToQuoted')} onClick={() => jump(id)}>
          {shown}
        </UnstyledButton>
      ) : (
        shown
      )}
    </blockquote>
  )
}
