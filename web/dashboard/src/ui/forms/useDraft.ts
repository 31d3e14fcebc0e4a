import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isSame, rebase } from './rebase'

/** Edits a copy of a stored value. When the stored value changes, unedited fields follow it. After
 * saving, call `settle` with the sent and the returned value: edits made in between are kept.
 * Leaving with unsaved changes asks for confirmation. Must be used within `AdminWords`. */
export function useDraft<T extends object>(kept: T) {
  const [draft, setDraft] = useState(kept)
  const [base, setBase] = useState(kept)
  const [seen, setSeen] = useState(kept)
  if (!isSame(seen, kept)) {
    setSeen(kept)
    setBase(kept)
    setDraft(rebase(draft, base, kept))
  }
  const isChanged = !isSame(draft, base)
  useLeaveConfirmation(isChanged)
  return {
    draft,
    base,
    isChanged,
    change: (part: Partial<T>) => setDraft((draft) => ({ ...draft, ...part })),
    undo: () => setDraft(base),
    settle(sent: T, now: T) {
      setBase(now)
      setDraft((draft) => rebase(draft, sent, now))
    },
  }
}

/** Asks for confirmation before a link or the browser leaves the screen. */
function useLeaveConfirmation(isChanged: boolean): void {
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
