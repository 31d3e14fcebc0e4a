import { list, type Payload, text } from '../../shared/payload'
import { safeUrl } from '../../shared/text'
import { ExternalLink, Words } from '../parts/Words'
import type { Chat } from '../state/chat'
import { Buttons } from './Buttons'
import { Picture } from './Picture'

export function Card({ chat, card }: { chat: Chat; card: Payload }) {
  const title = text(card.title)
  const url = safeUrl(card.url)
  return (
    <div class="card">
      <Picture url={card.image ?? card.image_url} name={title || chat.translate('picture')} />
      {title && <b>{url ? <ExternalLink href={url}>{title}</ExternalLink> : title}</b>}
      <Words>{text(card.description) || text(card.text)}</Words>
      <Buttons chat={chat} buttons={list(card.buttons)} />
    </div>
  )
}
