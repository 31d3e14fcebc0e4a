import { Stack, Text } from '@mantine/core'
import { list, type Payload, record, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { Buttons } from './Buttons'
import { ExternalLink, FormattedText } from './FormattedText'
import { Picture } from './Picture'

/** A card: picture, title, text and buttons. Its title is a link to the card's URL. */
export function Card({ card, isTrusted }: { card: Payload; isTrusted: boolean }) {
  const title = text(card.title)
  const url = safeUrl(card.url) ?? safeUrl(record(record(card.default_action).payload).url)
  return (
    <Stack gap="xs">
      <Picture url={card.image ?? card.image_url} name={title} isTrusted={isTrusted} />
      {title && (
        <Text fw={600}>{url ? <ExternalLink href={url}>{title}</ExternalLink> : title}</Text>
      )}
      {text(card.text) && <FormattedText>{text(card.text)}</FormattedText>}
      {text(card.description) && <FormattedText>{text(card.description)}</FormattedText>}
      {!title && url && <ExternalLink href={url}>{url}</ExternalLink>}
      <Buttons buttons={list(card.buttons)} />
    </Stack>
  )
}
