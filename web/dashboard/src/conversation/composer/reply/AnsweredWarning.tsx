import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Comment } from '../../../app/shapes'

interface AnsweredWarningProps {
  others: Comment[]
  onSend: () => void
  onBack: () => void
}

/** A warning that another agent or the bot answered while the reply was written. */
export function AnsweredWarning({ others, onSend, onBack }: AnsweredWarningProps) {
  const words = useTranslations('composer')
  const last = others[others.length - 1]
  if (!last) return null
  return (
    <Alert
      color="orange"
      variant="outline"
      role="alert"
      title={words('meanwhile', { name: last.username })}
    >
      <Stack gap="xs">
        <Text size="sm" lineClamp={4}>
          {last.message}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onBack}>
            {words('keepWriting')}
          </Button>
          <Button size="xs" onClick={onSend}>
            {words('replyAnyway')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
