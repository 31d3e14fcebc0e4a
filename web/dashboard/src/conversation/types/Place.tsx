import { Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { type Payload, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { Outside } from './Words'

/** A location: name, address, coordinates, and a map link if the sender set one. */
export function Place({ payload }: { payload: Payload }) {
  const words = useTranslations('conversation')
  const map = safeUrl(payload.map_url)
  return (
    <Stack gap={0}>
      <Text fw={600}>{text(payload.name)}</Text>
      <Text>{text(payload.address)}</Text>
      <Text size="sm">
        {text(payload.latitude)}, {text(payload.longitude)}
      </Text>
      {map ? (
        <Outside href={map}>{words('openMap')}</Outside>
      ) : (
        <Text size="sm">{text(payload.map_url)}</Text>
      )}
    </Stack>
  )
}
