import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'
import { call, withQuery } from '../../../../../shared/call'
import type { CannedReply, Data, Row } from '../../../app/shapes'
import { useLanguage } from '../../../app/WordsProvider'
import { replaceText } from '../writing/replaceText'
import { type Trigger, triggerAt } from './trigger'

/** A choice that replaces the trigger and its query in the field. */
export interface Suggestion {
  key: string
  label: string
  hint: string
  by: string
}

const SHOWN_MAX = 8

interface SuggestionsOptions {
  text: string
  area: RefObject<HTMLTextAreaElement | null>
  row: Row
}

/** Returns canned replies after `/` and emoji after `:`, with the key handler of their list. */
export function useSuggestions({ text, area, row }: SuggestionsOptions) {
  const id = useId()
  const [trigger, setTrigger] = useState<Trigger | null>(null)
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const [at, setAt] = useState(0)
  useEffect(() => {
    const isHere = document.activeElement === area.current
    const found = isHere ? triggerAt(text, area.current?.selectionStart ?? text.length) : null
    setTrigger(found)
    setAt(0)
    if (found === null) setClosedAt(null)
  }, [text, area])
  const isOpen = trigger !== null && trigger.from !== closedAt
  const canned = useCanned(isOpen && trigger.kind === 'canned' ? trigger.query : null, row)
  const emoji = useEmoji(isOpen && trigger.kind === 'emoji' ? trigger.query : null)
  const items = isOpen ? (trigger.kind === 'canned' ? canned : emoji).slice(0, SHOWN_MAX) : []
  const close = () => setClosedAt(trigger?.from ?? null)

  function pick(item: Suggestion) {
    const field = area.current
    if (!field) return
    // The user may have typed more since the list was rendered.
    const current = triggerAt(field.value, field.selectionStart) ?? trigger
    if (!current) return
    replaceText(field, item.by, current.from, current.from + 1 + current.query.length)
  }

  /** Handles a key of the list. Returns whether it did. */
  function onKeyDown(event: KeyboardEvent): boolean {
    const item = items[at]
    if (!item || event.nativeEvent.isComposing) return false
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + items.length) % items.length)
    else if (event.key === 'Enter' || event.key === 'Tab') pick(item)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }

  const aria =
    items.length === 0
      ? {}
      : {
          'aria-autocomplete': 'list' as const,
          'aria-controls': id,
          'aria-activedescendant': `${id}-${at}`,
        }
  return { id, items, at, pick, close, onKeyDown, aria, kind: trigger?.kind ?? 'canned' }
}

function useCanned(query: string | null, row: Row): Suggestion[] {
  const { data } = useQuery({
    queryKey: ['canned', query],
    enabled: query !== null,
    placeholderData: (known) => known,
    queryFn: () => {
      const path = withQuery('/api/v2/canned_replies', { q: query ?? '', limit: SHOWN_MAX })
      return call<Data<{ canned_replies: CannedReply[] }>>('GET', path)
    },
  })
  return (data?.data.canned_replies ?? []).map((reply) => ({
    key: String(reply.id),
    label: `/${reply.shortcut.replace(/^\//, '')}`,
    hint: reply.text,
    by: reply.text.replaceAll('{customer.name}', row.name),
  }))
}

/** Returns the matching emoji. The emoji names are loaded at the first query. */
function useEmoji(query: string | null): Suggestion[] {
  const { language } = useLanguage()
  const { data } = useQuery({
    queryKey: ['emoji'],
    enabled: query !== null,
    queryFn: () => import('../emoji/emoji'),
  })
  if (!data || query === null) return []
  return data.find(query, language).map(({ sign, name }) => ({
    key: sign,
    label: sign,
    hint: name[language],
    by: `${sign} `,
  }))
}
