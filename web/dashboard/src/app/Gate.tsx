import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef } from 'react'
import { SignIn } from '../sign-in/SignIn'
import { Boundary } from '../ui/Boundary'
import { ErrorState } from '../ui/ErrorState'
import { Beginning } from '../ui/Loading'
import { changeMe, forgetAll, loadMe, ME } from './me'
import { part } from './part'
import { hearTabs } from './tabs'
import { useLanguageOf } from './Words'

/** Fetched once somebody is signed in, or likely to be. */
export const fetchShell = () => import('./Shell')
const Shell = part(fetchShell)

/** Shows the page to whoever is signed in, and the way in to everybody else. */
export function Gate() {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: ME, queryFn: loadMe })
  const wasIn = useRef(false)
  wasIn.current ||= Boolean(data)
  useEffect(
    () =>
      hearTabs((told) => {
        if (told.is === 'signed-out') forgetAll(queries)
        else changeMe(queries, told.user)
      }),
    [queries],
  )
  const isInTheirWords = useLanguageOf(data)
  if (data === undefined) {
    return error ? <ErrorState error={error} onRetry={refetch} /> : <Beginning />
  }
  if (data === null) return <SignIn wasIn={wasIn.current} />
  if (!isInTheirWords) return <Beginning />
  return (
    <Boundary name="shell">
      <Suspense fallback={<Beginning />}>
        <Shell me={data} />
      </Suspense>
    </Boundary>
  )
}
