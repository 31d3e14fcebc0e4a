import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'

/** After a moment only: what is there at once should not flicker. */
const PATIENCE_MS = 150

export function useIsLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

/** A part that is not here yet: its name says which. */
export const Spinner = ({ label }: { label: string }) => (
  <Loader m="md" size="sm" role="status" aria-label={label} />
)

/** A whole page that is not here yet. */
export function Loading() {
  const words = useTranslations('states')
  return (
    <main className="centre" aria-busy="true">
      {useIsLate() && <Loader role="status" aria-label={words('loading')} />}
    </main>
  )
}

/** What the document itself shows until the page is here. */
export function Beginning() {
  const words = useTranslations('states')
  return (
    <main className="centre" aria-busy="true">
      <div className="mark" role="status" aria-label={words('loading')} />
    </main>
  )
}
