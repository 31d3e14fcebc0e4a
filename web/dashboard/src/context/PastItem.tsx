import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { PastConversation } from '../app/shapes'
import { FormattedText } from '../conversation/types/FormattedText'
import { PastMessages } from './PastMessages'

/** A resolved conversation: dates, channel, agent, rating and resolution notes. */
export function PastItem({ conversation }: { conversation: PastConversation }) {
  const words = useTranslations('context')
  const format = useFormatter()
  const [isOpen, setOpen] = useState(false)
  const { opened_at, resolved_at, served_by, resolved_by, channel, notes, rating } = conversation
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium' })
  const from = day(opened_at)
  const until = day(resolved_at ?? opened_at)
  const dates = from === until ? from : words('fromUntil', { from, until })
  const who = (served_by ?? resolved_by)?.name
  return (
    <li>
      <Text size="sm" fw={600}>
        {dates}
      </Text>
      <Text size="xs" className="muted">
        {[channel?.name, who, rating && words('rated', { rating })].filter(Boolean).join(' · ')}
      </Text>
      {notes && <FormattedText>{notes}</FormattedText>}
      {conversation.first_comment_id && (
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isOpen}
          aria-label={words('readOf', { dates })}
          onClick={() => setOpen(!isOpen)}
        >
          {words(isOpen ? 'fold' : 'read')}
        </Button>
      )}
      {isOpen && <PastMessages conversation={conversation} />}
    </li>
  )
}
