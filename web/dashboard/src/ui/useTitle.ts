import { createContext, useContext, useEffect } from 'react'

/** How many conversations have something that was not seen. */
export const Unseen = createContext(0)

/** The title of the tab: what waits, what it shows, and where. */
export function useTitle(...parts: string[]): void {
  const unseen = useContext(Unseen)
  const title = [...parts, 'Confab'].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = unseen === 0 ? title : `(${unseen}) ${title}`
  }, [title, unseen])
}
