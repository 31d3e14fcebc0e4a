import { CloseButton, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Comment } from '../../../app/shapes'
import shared from '../../Conversation.module.css'
import { useSummary } from '../../messages/useSummary'

/** The quoted message, shown above the reply. */
export function QuotePreview({ comment, onClose }: { comment: Comment; onClose: () => void }) {
  const words = useTranslations('composer')
  const summary = useSummary()
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <blockquote className={shared.quote}>
        <Text size="xs" fw={600}>
          {words('answering', { name: comment.username })}
        </Text>
        <Text size="sm" lineClamp={2}>
          {summary(comment)}
        </Text>
      </blockquote>
      <CloseButton aria-label={words('noQuote')} onClick={onClose} />
    </Group>
  )
}
