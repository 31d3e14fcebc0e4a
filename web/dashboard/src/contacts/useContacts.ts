import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, withQuery } from '../../../shared/call'
import type { ListedContact, Page } from '../app/shapes'

const PAGE = 50

/** Loads the contacts whose names match, page by page. */
export function useContacts(q: string) {
  const query = useInfiniteQuery({
    queryKey: ['live', 'contacts', q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call<Page<{ contacts: ListedContact[] }>>(
        'GET',
        withQuery('/api/v2/contacts', { q: q || undefined, cursor: pageParam, limit: PAGE }),
        undefined,
        signal,
      ),
    getNextPageParam: (page) => page.meta.after ?? undefined,
  })
  const contacts = useMemo(
    () => query.data?.pages.flatMap((page) => page.data.contacts) ?? [],
    [query.data],
  )
  return { ...query, contacts }
}

export type ContactQuery = ReturnType<typeof useContacts>
