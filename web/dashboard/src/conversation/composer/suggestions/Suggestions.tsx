import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from '../Composer.module.css'
import type { Suggestion } from './useSuggestions'

interface SuggestionsProps {
  id: string
  kind: 'canned' | 'emoji'
  items: Suggestion[]
  at: number
  pick: (item: Suggestion) => void
}

/** The list of suggestions above the field. The field keeps the focus and handles the list's
 * keys. */
export function Suggestions({ id, kind, items, at, pick }: SuggestionsProps) {
  const words = useTranslations('composer')
  if (items.length === 0) return null
  return (
    <div id={id} role="listbox" aria-label={words(kind)} className={classes.suggestions}>
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={item.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={classes.suggestion}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(item)}
        >
          <Text component="span" fw={600}>
            {item.label}
          </Text>
          <Text component="span" size="sm" truncate>
            {item.hint}
          </Text>
        </div>
      ))}
    </div>
  )
}
