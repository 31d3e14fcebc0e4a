import { Anchor, Stack, Text } from '@mantine/core'
import { type Payload, text } from '../../../../shared/payload'

/** A person who can be called or written to. */
export function ContactPerson({ payload }: { payload: Payload }) {
  const value = text(payload.value)
  const way = text(payload.type) === 'email' ? 'mailto' : 'tel'
  return (
    <Stack gap={0}>
      <Text fw={600}>{text(payload.name)}</Text>
      <Anchor href={`${way}:${encodeURIComponent(value)}`} inherit>
        {value}
      </Anchor>
    </Stack>
  )
}
