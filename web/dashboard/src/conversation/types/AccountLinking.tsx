import { Stack, Text } from '@mantine/core'
import { type Payload, record, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { Outside, Words } from './Words'

/** An account-linking message: its text, and a link with its button's label. */
export function AccountLinking({ message, payload }: { message: string; payload: Payload }) {
  const url = safeUrl(payload.url)
  const label = text(record(payload.params).button_text)
  return (
    <Stack gap="xs">
      <Words>{message || text(payload.text)}</Words>
      <Text size="sm">
        {url ? <Outside href={url}>{label || url}</Outside> : label || text(payload.url)}
      </Text>
    </Stack>
  )
}
