import { type Payload, text } from '../../shared/payload'
import { fileSize, safeUrl } from '../../shared/text'
import { Icon } from '../parts/icons'
import { ExternalLink, Words } from '../parts/Words'
import type { Chat } from '../state/chat'
import { Picture } from './Picture'

const PICTURES = /\.(png|jpe?g|gif|webp|avif)$/i
const SOUNDS = /\.(mp3|ogg|oga|wav|m4a|aac)$/i
const FILMS = /\.(mp4|webm|mov)$/i

/** A file attachment. Shows images, audio and video, and links the file's name. */
export function Attachment({ chat, payload }: { chat: Chat; payload: Payload }) {
  const url = safeUrl(payload.url)
  const name = text(payload.file_name) || nameIn(url) || chat.translate('file')
  const caption = text(payload.caption)
  const size =
    typeof payload.size === 'number' ? ` ${fileSize(payload.size, chat.language.value)}` : ''
  return (
    <>
      {PICTURES.test(name) && <Picture url={url} name={caption || name} />}
      {url && SOUNDS.test(name) && (
        // biome-ignore lint/a11y/useMediaCaption: voice messages have no captions
        <audio controls preload="none" src={url} aria-label={name} />
      )}
      {url && FILMS.test(name) && (
        // biome-ignore lint/a11y/useMediaCaption: videos in a chat have no captions
        <video class="picture" controls preload="none" src={url} aria-label={name} />
      )}
      <p class="attached">
        <Icon name="file" />
        <span>
          {url ? <ExternalLink href={url}>{name}</ExternalLink> : name}
          {size}
        </span>
      </p>
      {caption && <Words>{caption}</Words>}
    </>
  )
}

function nameIn(url: string | null): string {
  if (url === null) return ''
  const last = new URL(url).pathname.split('/').pop() ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
