import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { CallError, call } from '../../../shared/call'
import { SignIn } from '../sign-in/SignIn'
import { ErrorState } from '../ui/ErrorState'
import { Loading } from '../ui/Loading'
import type { Data, Me } from './shapes'

/** Fetched once somebody is signed in. */
const Shell = lazy(() => import('./Shell'))

/** Who is signed in; `null` is nobody. */
export const ME = ['me'] as const

/** Shows the page to whoever is signed in, and the way in to everybody else. */
export function Gate() {
  const { data, error, refetch } = useQuery({ queryKey: ME, queryFn: load })
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (data === undefined) return <Loading />
  if (data === null) return <SignIn />
  return (
    <Suspense fallback={<Loading />}>
      <Shell me={data} />
    </Suspense>
  )
}

async function load(): Promise<Me | null> {
  try {
    return (await call<Data<Me>>('GET', '/api/v2/me')).data
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null
    throw error
  }
}
