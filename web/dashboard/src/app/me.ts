import type { QueryClient } from '@tanstack/react-query'
import { CallError, call } from '../../../shared/call'
import type { Data, Me } from './shapes'
import { tellTabs } from './tabs'

/** Who is signed in; `null` is nobody. */
export const ME = ['me'] as const
/** Whether whoever signed in here last stays signed in when the browser closes. */
export const IS_KEPT = 'confab-keep'

export async function loadMe(): Promise<Me | null> {
  try {
    return (await call<Data<Me>>('GET', '/api/v2/me')).data
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null
    throw error
  }
}

/** Shows what changed of whoever is signed in, without asking. */
export function changeMe(queries: QueryClient, user: Partial<Me['user']>): void {
  queries.setQueryData<Me | null>(ME, (me) => me && { ...me, user: { ...me.user, ...user } })
}

/** The same in every tab. */
export function changeMeEverywhere(queries: QueryClient, user: Partial<Me['user']>): void {
  changeMe(queries, user)
  tellTabs({ is: 'me', user })
}

/** Nothing that was read stays for whoever signs in next. */
export function forgetAll(queries: QueryClient): void {
  queries.setQueryData(ME, null)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] })
}
