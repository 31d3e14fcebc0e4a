import { Stack, Text } from '@mantine/core'
import { useLocale, useTranslations } from 'use-intl'
import { type Payload, text } from '../../../../shared/payload'
import { fileSize, safeUrl } from '../../../../shared/text'
import classes from '../Conversation.module.css'
import { ExternalLink, FormattedText } from './FormattedText'
import { Picture } from './Picture'

const PICTURES = /\.(png|jpe?g|gif|webp|avif)$/i
const SOUNDS = /\.(mp3|ogg|oga|wav|m4a|aac)$/i
const FILMS = /\.(mp4|webm|mov)$/i

interface AttachmentProps {
  payload: Payload
  isTrusted: boolean
}

/** A file attachment. Pictures, audio and videos are embedded; other files are links. */
export function Attachment({ payload, isTrusted }: AttachmentProps) {
  const words = useTranslations('conversation')
  const locale = useLocale()
  const url = safeUrl(payload.url)
  const name = text(payload.file_name) || nameIn(url) || words('file')
  const isOurs = url !== null && new URL(url).origin === location.origin
  // Audio and videos are loaded when played, and never from a host that a customer chose.
  const isPlayed = url !== null && (isOurs || (isTrusted && url.startsWith('https:')))
  const pages = typeof payload.pages === 'number' ? words('pages', { count: payload.pages }) : ''
  const size = typeof payload.size === 'number' ? fileSize(payload.size, locale) : ''
  return (
    <Stack gap="xs">
      {PICTURES.test(name) && (
        <Picture url={url} name={text(payload.caption) || name} isTrusted={isTrusted} />
      )}
      {isPlayed && SOUNDS.test(name) && (
        // biome-ignore lint/a11y/useMediaCaption: voice messages have no captions
        <audio controls preload="none" src={url} aria-label={name} />
      )}
      {isPlayed && FILMS.test(name) && (
        // biome-ignore lint/a11y/useMediaCaption: videos in chats have no captions
        <video className={classes.picture} controls preload="none" src={url} aria-label={name} />
      )}
      <Text size="sm">
        {url ? <ExternalLink href={url}>{name}</ExternalLink> : name}{' '}
        {[size, pages].filter(Boolean).join(', ')}
      </Text>
      {text(payload.caption) && <FormattedText>{text(payload.caption)}</FormattedText>}
    </Stack>
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
