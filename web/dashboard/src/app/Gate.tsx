import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { SignIn } from '../sign-in/SignIn'
import { Boundary } from '../ui/Boundary'
import { ErrorState } from '../ui/ErrorState'
import { Beginning } from '../ui/Loading'
import { changeMe, forgetAll, loadMe, ME } from './me'
import { fetched } from './part'
import type { Me } from './shapes'
import { hearTabs } from './tabs'
import { useLanguageOf } from './Words'

/** The query that loads the page's frame, once a user is signed in or probably is. Not done by
 * Suspense, because React keeps a fallback for at least 300 ms. */
export const SHELL = {
  queryKey: ['shell'],
  queryFn: () => fetched(() => import('./Shell')),
  throwOnError: true,
}

/** Renders the page for signed-in users, and the sign-in screen for others. */
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
  if (data === null) return <SignIn wasIn={wasIn.current} />
  if (!data && error) return <ErrorState error={error} onRetry={refetch} />
  if (!data || !isInTheirWords) return <Beginning />
  return (
    <Boundary name="shell">
      <Framed me={data} />
    </Boundary>
  )
}

function Framed({ me }: { me: Me }) {
  const { data } = useQuery(SHELL)
  return data ? <data.default me={me} /> : <Beginning />
}
