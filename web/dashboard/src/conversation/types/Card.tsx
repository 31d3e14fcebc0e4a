import { Stack, Text } from '@mantine/core'
import { Buttons } from './Buttons'
import { Picture } from './Picture'
import { list, type Payload, text } from './payload'

export function Card({ card }: { card: Payload }) {
  return (
    <Stack gap="xs">
      <Picture url={card.image ?? card.image_url} name={text(card.title)} />
      {text(card.title) && <Text fw={600}>{text(card.title)}</Text>}
      <Text size="sm">{text(card.description) || text(card.text)}</Text>
      <Buttons labels={list(card.buttons).map((button) => text(button.label))} />
    </Stack>
  )
}
