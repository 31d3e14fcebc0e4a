import { QueryClient } from '@tanstack/react-query'
import { CallError } from '../../../shared/call'

/** The query cache. Queries never become stale by themselves: live frames report changes. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
      retry: (tries, error) => tries < 2 && error instanceof CallError && error.isPassing,
    },
    mutations: { networkMode: 'always' },
  },
})
