import { QueryClient } from '@tanstack/react-query'
import { CallError } from '../../../shared/call'

/** Nothing is read again by itself: live frames say when something changed. */
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
