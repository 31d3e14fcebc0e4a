import { useEffect } from 'react'

/** The title of the tab: what it shows, and where. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Confab'].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
