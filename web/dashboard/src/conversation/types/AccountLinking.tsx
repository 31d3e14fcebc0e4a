import { Stack, Text } from '@mantine/core'
import { type Payload, record, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { ExternalLink, FormattedText } from './FormattedText'

/** An account-linking message: its text, and a link with its button's label. */
export function AccountLinking({ message, payload }: { message: string; payload: Payload }) {
  const url = safeUrl(payload.url)
  const label = text(record(payload.params).button_text)
  return (
    <Stack gap="xs">
      <FormattedText>{message || text(payload.text)}</FormattedText>
      <Text size="sm">
        {url ? <ExternalLink href={url}>{label || url}</ExternalLink> : label || text(payload.url)}
      </Text>
    </Stack>
  )
}
