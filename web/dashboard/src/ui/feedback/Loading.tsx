import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'

/** Delay before a loading indicator is shown, so that fast responses do not flicker. */
const INDICATOR_DELAY_MS = 150

export function useIsLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), INDICATOR_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

/** A loading indicator for a part of the page. */
export const Spinner = ({ label }: { label: string }) => (
  <Loader m="md" size="sm" role="status" aria-label={label} />
)

/** A loading indicator for the whole page. */
export function Loading() {
  const words = useTranslations('states')
  return (
    <main className="centre" aria-busy="true">
      {useIsLate() && <Loader role="status" aria-label={words('loading')} />}
    </main>
  )
}

/** The product mark, as the HTML document shows it before the page renders. */
export function StartMark() {
  const words = useTranslations('states')
  return (
    <main className="centre" aria-busy="true">
      <div className="mark" role="status" aria-label={words('loading')} />
    </main>
  )
}
