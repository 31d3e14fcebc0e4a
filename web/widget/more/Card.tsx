import { list, type Payload, text } from '../../shared/payload'
import { safeUrl } from '../../shared/text'
import { Outside, Words } from '../parts/Words'
import type { Chat } from '../state/chat'
import { Buttons } from './Buttons'
import { Picture } from './Picture'

export function Card({ chat, card }: { chat: Chat; card: Payload }) {
  const title = text(card.title)
  const url = safeUrl(card.url)
  return (
    <div class="card">
      <Picture url={card.image ?? card.image_url} name={title || chat.say('picture')} />
      {title && <b>{url ? <Outside href={url}>{title}</Outside> : title}</b>}
      <Words>{text(card.description) || text(card.text)}</Words>
      <Buttons chat={chat} buttons={list(card.buttons)} />
    </div>
  )
}
