import { Stack, Text } from '@mantine/core'
import { list, type Payload, record, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { Buttons } from './Buttons'
import { Picture } from './Picture'
import { Outside, Words } from './Words'

/** A card: picture, title, text and buttons. Its title is a link to the card's URL. */
export function Card({ card, isTrusted }: { card: Payload; isTrusted: boolean }) {
  const title = text(card.title)
  const url = safeUrl(card.url) ?? safeUrl(record(record(card.default_action).payload).url)
  return (
    <Stack gap="xs">
      <Picture url={card.image ?? card.image_url} name={title} isTrusted={isTrusted} />
      {title && <Text fw={600}>{url ? <Outside href={url}>{title}</Outside> : title}</Text>}
      {text(card.text) && <Words>{text(card.text)}</Words>}
      {text(card.description) && <Words>{text(card.description)}</Words>}
      {!title && url && <Outside href={url}>{url}</Outside>}
      <Buttons buttons={list(card.buttons)} />
    </Stack>
  )
}
