import { createContext, useContext, useEffect } from 'react'

/** Number of the user's conversations with unseen messages. */
export const Unseen = createContext(0)

/** Sets the tab's title: the number of unseen conversations, the parts, and the product name. */
export function useTitle(...parts: string[]): void {
  const unseen = useContext(Unseen)
  const title = [...parts, 'Confab'].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = unseen === 0 ? title : `(${unseen}) ${title}`
  }, [title, unseen])
}
