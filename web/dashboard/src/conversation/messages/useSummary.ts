import { useCallback } from 'react'
import { useTranslations } from 'use-intl'
import { list, record, text } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'

/** Returns a function that summarizes a message in one line, for quotes and announcements. */
export function useSummary(): (comment: Comment) => string {
  const words = useTranslations('conversation')
  const kinds = useTranslations('message')
  return useCallback(
    (comment) => {
      if (comment.is_deleted) return words('deleted')
      const payload = record(comment.payload)
      switch (comment.type) {
        case 'file_attachment':
          return [kinds('kind.file'), text(payload.file_name), text(payload.caption)]
            .filter(Boolean)
            .join(' ')
        case 'buttons':
        case 'card':
        case 'account_linking':
          return comment.message || text(payload.text) || text(payload.title)
        case 'carousel':
          return list(payload.cards)
            .map((card) => text(card.title))
            .join(', ')
        case 'location':
          return [kinds('kind.location'), text(payload.name), text(payload.address)]
            .filter(Boolean)
            .join(' ')
        case 'contact_person':
          return [text(payload.name), text(payload.value)].filter(Boolean).join(' ')
        default:
          return comment.message || text(payload.type)
      }
    },
    [words, kinds],
  )
}
