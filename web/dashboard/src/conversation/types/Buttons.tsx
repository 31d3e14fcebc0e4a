import { Badge, Group } from '@mantine/core'

/** What a customer can press. */
export function Buttons({ labels }: { labels: string[] }) {
  return (
    <Group gap="xs">
      {labels.map((label, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message never change
        <Badge key={at} variant="outline" tt="none">
          {label}
        </Badge>
      ))}
    </Group>
  )
}
