import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { SignIn } from '../sign-in/SignIn'
import { Boundary } from '../ui/feedback/Boundary'
import { ErrorState } from '../ui/feedback/ErrorState'
import { StartMark } from '../ui/feedback/Loading'
import { loadPart } from './lazyPart'
import { changeMe, clearCache, loadMe, ME } from './me'
import type { Me } from './shapes'
import { subscribeToTabs } from './tabs'
import { useUserLanguage } from './WordsProvider'

/** The query that loads the page's frame, once a user is signed in or probably is. Not done by
 * Suspense, because React keeps a fallback for at least 300 ms. */
export const SHELL = {
  queryKey: ['shell'],
  queryFn: () => loadPart(() => import('./Shell')),
  throwOnError: true,
}

/** Renders the page for signed-in users, and the sign-in screen for others. */
export function Gate() {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: ME, queryFn: loadMe })
  const wasSignedIn = useRef(false)
  wasSignedIn.current ||= Boolean(data)
  useEffect(
    () =>
      subscribeToTabs((message) => {
        if (message.is === 'signed-out') clearCache(queries)
        else changeMe(queries, message.user)
      }),
    [queries],
  )
  const hasUserWords = useUserLanguage(data)
  if (data === null) return <SignIn wasSignedIn={wasSignedIn.current} />
  if (!data && error) return <ErrorState error={error} onRetry={refetch} />
  if (!data || !hasUserWords) return <StartMark />
  return (
    <Boundary name="shell">
      <Frame me={data} />
    </Boundary>
  )
}

function Frame({ me }: { me: Me }) {
  const { data } = useQuery(SHELL)
  return data ? <data.default me={me} /> : <StartMark />
}
