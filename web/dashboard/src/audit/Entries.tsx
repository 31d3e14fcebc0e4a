import { Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call, withQuery } from '../../../shared/call'
import type { AuditEntry, Page } from '../app/shapes'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { useIsLate } from '../ui/feedback/Loading'
import { MoreButton } from '../ui/MoreButton'
import classes from './Audit.module.css'
import { Entry } from './Entry'
import { type AuditFilters, isFiltered, queryOf } from './filters'

const PAGE = 50

/** The entries of the audit log, newest first. */
export function Entries({ filters }: { filters: AuditFilters }) {
  const words = useTranslations('audit')
  const isLate = useIsLate()
  const list = useInfiniteQuery({
    queryKey: ['audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call<Page<{ entries: AuditEntry[] }>>(
        'GET',
        withQuery('/api/v2/audit', { ...queryOf(filters), cursor: pageParam, limit: PAGE }),
        undefined,
        signal,
      ),
    getNextPageParam: (page) => page.meta.after ?? undefined,
    refetchOnMount: 'always',
  })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = list
  if (!data) {
    if (error) return <ErrorState error={error} onRetry={refetch} />
    return isLate && <Waiting />
  }
  const entries = data.pages.flatMap((page) => page.data.entries)
  if (entries.length === 0) {
    return <EmptyState title={words(isFiltered(filters) ? 'nothingFits' : 'empty')} />
  }
  return (
    <>
      <ol className={classes.entries} aria-label={words('title')}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      {hasNextPage && (
        <MoreButton
          label={words('older')}
          isLoading={isFetching}
          error={list.isFetchNextPageError ? error : null}
          onMore={() => void fetchNextPage()}
        />
      )}
    </>
  )
}

function Waiting() {
  const words = useTranslations('states')
  return (
    <Stack gap="sm" role="status" aria-label={words('loading')}>
      {[1, 2, 3, 4].map((line) => (
        <Skeleton key={line} height={56} />
      ))}
    </Stack>
  )
}
