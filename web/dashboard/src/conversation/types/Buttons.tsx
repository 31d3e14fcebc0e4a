import { Badge, Group } from '@mantine/core'
import { type Payload, record, text } from '../../../../shared/payload'
import { safeUrl } from '../../../../shared/text'
import { ExternalLink } from './FormattedText'

/** The buttons of a message. Agents can open link buttons; only the customer can press the
 * others. */
export function Buttons({ buttons }: { buttons: Payload[] }) {
  if (buttons.length === 0) return null
  return (
    <Group gap="xs">
      {buttons.map((button, at) => {
        const label = text(button.label)
        const url = button.type === 'link' ? safeUrl(record(button.payload).url) : null
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message never change
          <Badge key={at} variant="outline" tt="none" size="lg">
            {url ? <ExternalLink href={url}>{label}</ExternalLink> : label}
          </Badge>
        )
      })}
    </Group>
  )
}
