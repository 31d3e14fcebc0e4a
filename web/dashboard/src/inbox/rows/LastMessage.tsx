import {
  IconAddressBook,
  IconBraces,
  IconCards,
  IconHandClick,
  IconMapPin,
  IconPaperclip,
} from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { Row } from '../../app/shapes'
import classes from '../Inbox.module.css'

/** The message types that the list shows as an icon and the type's name, because their text is a
 * URL or empty. */
const KINDS = {
  file_attachment: IconPaperclip,
  location: IconMapPin,
  contact_person: IconAddressBook,
  carousel: IconCards,
  card: IconCards,
  custom: IconBraces,
  button_postback_response: IconHandClick,
} as const
type Kind = keyof typeof KINDS

/** A conversation's last message in the list, with its sender unless the customer posted it. */
export function LastMessage({ row }: { row: Row }) {
  const words = useTranslations('inbox')
  // After a system event, the customer's last message is more useful than the event's text.
  const isEvent = row.last_comment_type === 'system_event' && row.last_customer_comment_text
  const kind = kindOf(row.last_comment_type)
  const Icon = kind && KINDS[kind]
  const hasText = kind === null || kind === 'button_postback_response'
  const said = isEvent ? row.last_customer_comment_text : row.last_comment_text
  const text = hasText ? said || words('noMessage') : words(`kind.${kind}`)
  const sender =
    row.last_comment_sender_type === 'agent' && !isEvent ? row.last_comment_sender : null
  return (
    <>
      {sender && <span>{words('said', { name: sender })} </span>}
      {Icon && <Icon size={14} className={classes.kind} aria-hidden />}
      {text}
    </>
  )
}

function kindOf(type: string | null | undefined): Kind | null {
  return type && Object.hasOwn(KINDS, type) ? (type as Kind) : null
}
