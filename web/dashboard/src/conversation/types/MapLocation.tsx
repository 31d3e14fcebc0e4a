import { Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { type Payload, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { ExternalLink } from './FormattedText'

/** A location: name, address, coordinates, and a map link if the sender set one. */
export function MapLocation({ payload }: { payload: Payload }) {
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
        <ExternalLink href={map}>{words('openMap')}</ExternalLink>
      ) : (
        <Text size="sm">{text(payload.map_url)}</Text>
      )}
    </Stack>
  )
}
