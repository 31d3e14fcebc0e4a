import { Stack } from '@mantine/core'
import { list, record, text } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'
import { AccountLinking } from './AccountLinking'
import { Attachment } from './Attachment'
import { Buttons } from './Buttons'
import { Card } from './Card'
import { Carousel } from './Carousel'
import { ContactPerson } from './ContactPerson'
import { FormattedText } from './FormattedText'
import { MapLocation } from './MapLocation'
import { PressedButton } from './PressedButton'
import { Quote } from './Quote'
import { UnknownContent } from './UnknownContent'

interface ContentProps {
  comment: Comment
  /** Whether an agent or the bot posted the message, so that files on other hosts load at once. */
  isTrusted: boolean
  /** Jumps to another message. */
  jump: (id: string) => void
}

/** The content of a message, by its type. Unknown types are shown as text and JSON. */
export function Content({ comment, isTrusted, jump }: ContentProps) {
  const payload = record(comment.payload)
  switch (comment.type) {
    case 'text':
      return <FormattedText>{comment.message}</FormattedText>
    case 'file_attachment':
      return <Attachment payload={payload} isTrusted={isTrusted} />
    case 'buttons':
      return (
        <Stack gap="xs">
          <FormattedText>{comment.message || text(payload.text)}</FormattedText>
          <Buttons buttons={list(payload.buttons)} />
        </Stack>
      )
    case 'card':
      return <Card card={payload} isTrusted={isTrusted} />
    case 'carousel':
      return <Carousel cards={list(payload.cards)} isTrusted={isTrusted} />
    case 'location':
      return <MapLocation payload={payload} />
    case 'contact_person':
      return <ContactPerson payload={payload} />
    case 'account_linking':
      return <AccountLinking message={comment.message} payload={payload} />
    case 'reply':
      return (
        <Stack gap="xs">
          <Quote payload={payload} jump={jump} />
          <FormattedText>{comment.message || text(payload.text)}</FormattedText>
        </Stack>
      )
    case 'button_postback_response':
      return <PressedButton message={comment.message} />
    default:
      return <UnknownContent comment={comment} kind={text(payload.type)} />
  }
}
