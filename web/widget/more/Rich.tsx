import { list, type Payload, record, text } from '../../shared/payload'
import { safeUrl } from '../../shared/text'
import { ExternalLink, Words } from '../parts/Words'
import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import { Attachment } from './Attachment'
import { Buttons } from './Buttons'
import { Card } from './Card'

/** A message that is not plain text, rendered by its type. */
export function Rich({ chat, comment }: { chat: Chat; comment: Comment }) {
  const payload = record(comment.payload)
  const { message } = comment
  switch (comment.type) {
    case 'reply':
      return (
        <>
          <blockquote>
            <b>{text(payload.replied_comment_sender_username)}</b>
            <p dir="auto">{text(payload.replied_comment_message)}</p>
          </blockquote>
          <Words>{message || text(payload.text)}</Words>
        </>
      )
    case 'file_attachment':
      return <Attachment chat={chat} payload={payload} />
    case 'buttons':
      return (
        <>
          <Words>{message || text(payload.text)}</Words>
          <Buttons chat={chat} buttons={list(payload.buttons)} />
        </>
      )
    case 'card':
      return <Card chat={chat} card={payload} />
    case 'carousel':
      return <Carousel chat={chat} cards={list(payload.cards)} />
    case 'location':
      return <Location chat={chat} payload={payload} />
    case 'contact_person':
      return <Contact payload={payload} />
    case 'account_linking':
      return <Linking chat={chat} payload={payload} message={message} />
    default:
      return message ? <Words>{message}</Words> : <em>{chat.translate('unsupported')}</em>
  }
}

function Carousel({ chat, cards }: { chat: Chat; cards: Payload[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <ul class="carousel" tabIndex={0} aria-label={chat.translate('cards')}>
      {cards.map((card, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a message never change
        <li key={at}>
          <Card chat={chat} card={card} />
        </li>
      ))}
    </ul>
  )
}

function Location({ chat, payload }: { chat: Chat; payload: Payload }) {
  const map = safeUrl(payload.map_url)
  return (
    <>
      <b>{text(payload.name)}</b>
      <p>{text(payload.address)}</p>
      <p dir="ltr">
        {text(payload.latitude)}, {text(payload.longitude)}
      </p>
      {map && <ExternalLink href={map}>{chat.translate('openMap')}</ExternalLink>}
    </>
  )
}

/** A shared contact. The scheme is fixed and the value encoded, so that the link can only start a
 * call or an e-mail. */
function Contact({ payload }: { payload: Payload }) {
  const way = payload.type === 'email' ? 'mailto' : 'tel'
  const value = text(payload.value)
  return (
    <>
      <b>{text(payload.name)}</b>
      <p dir="ltr">
        <a href={`${way}:${encodeURIComponent(value)}`}>{value}</a>
      </p>
    </>
  )
}

function Linking({ chat, payload, message }: { chat: Chat; payload: Payload; message: string }) {
  const url = safeUrl(payload.url)
  const label = text(record(payload.params).button_text) || chat.translate('linkAccount')
  return (
    <>
      <Words>{message || text(payload.text)}</Words>
      {url && (
        <div class="buttons">
          <ExternalLink href={url} class="button">
            {label}
          </ExternalLink>
        </div>
      )}
    </>
  )
}
