import { Anchor, Stack, Text } from '@mantine/core'
import { type Payload, text } from '../../../../shared/payload'

/** A person's name, with a link to call or email them. */
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
