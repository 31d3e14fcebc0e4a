import type { QueryClient } from '@tanstack/react-query'
import { CallError, call } from '../../../shared/call'
import type { Data, Me } from './shapes'
import { postToTabs } from './tabs'

/** Query key of the signed-in user; the data is null if nobody is signed in. */
export const ME = ['me'] as const
/** Storage key of the last "keep me signed in" choice in this browser. */
export const KEEP_SIGNED_IN_KEY = 'confab-keep'

export async function loadMe(): Promise<Me | null> {
  try {
    return (await call<Data<Me>>('GET', '/api/v2/me')).data
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null
    throw error
  }
}

/** Updates fields of the signed-in user in the query cache, without a request. */
export function changeMe(queries: QueryClient, user: Partial<Me['user']>): void {
  queries.setQueryData<Me | null>(ME, (me) => me && { ...me, user: { ...me.user, ...user } })
}

/** Updates fields of the signed-in user in all tabs of this browser. */
export function changeMeEverywhere(queries: QueryClient, user: Partial<Me['user']>): void {
  changeMe(queries, user)
  postToTabs({ is: 'me', user })
}

/** Clears the query cache, so that the next user sees no data of this one. */
export function clearCache(queries: QueryClient): void {
  queries.setQueryData(ME, null)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] })
}
