import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isSame, rebased } from './rebased'

/** What is being changed of something that is kept. It follows what another admin keeps, except for
 * what was touched here. `settle` is called with what was sent and what the server made of it: what
 * was written meanwhile stays. Whoever leaves with changes is asked. Stands within `AdminWords`. */
export function useDraft<T extends object>(kept: T) {
  const [draft, setDraft] = useState(kept)
  const [base, setBase] = useState(kept)
  const [seen, setSeen] = useState(kept)
  if (!isSame(seen, kept)) {
    setSeen(kept)
    setBase(kept)
    setDraft(rebased(draft, base, kept))
  }
  const isChanged = !isSame(draft, base)
  useAsked(isChanged)
  return {
    draft,
    base,
    isChanged,
    change: (part: Partial<T>) => setDraft((draft) => ({ ...draft, ...part })),
    undo: () => setDraft(base),
    settle(sent: T, now: T) {
      setBase(now)
      setDraft((draft) => rebased(draft, sent, now))
    },
  }
}

/** Asks whoever goes elsewhere, by a link or with the whole tab. */
function useAsked(isChanged: boolean): void {
  const question = useTranslations('office')('leave')
  useEffect(() => {
    if (!isChanged) return
    const leaving = (event: Event) => event.preventDefault()
    const pressed = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href]')
      const isElsewhere = link && !link.hasAttribute('target') && !link.hasAttribute('download')
      if (!isElsewhere || event.ctrlKey || event.metaKey || confirm(question)) return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('beforeunload', leaving)
    addEventListener('click', pressed, true)
    return () => {
      removeEventListener('beforeunload', leaving)
      removeEventListener('click', pressed, true)
    }
  }, [isChanged, question])
}
