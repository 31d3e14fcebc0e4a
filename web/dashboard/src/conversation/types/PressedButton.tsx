import { Badge, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** The label of the button that the customer pressed. */
export function PressedButton({ message }: { message: string }) {
  const words = useTranslations('message')
  return (
    <Stack gap={2} align="flex-start">
      <Text size="xs" className="muted">
        {words('pressed')}
      </Text>
      <Badge variant="outline" tt="none" size="lg">
        {message}
      </Badge>
    </Stack>
  )
}
