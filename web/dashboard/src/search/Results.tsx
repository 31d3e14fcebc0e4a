import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { call, withQuery } from '../../../shared/call'
import type { SearchPage } from '../app/shapes'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { useIsLate } from '../ui/feedback/Loading'
import { MoreButton } from '../ui/MoreButton'
import { ContactResult, MessageResult } from './ResultItems'
import classes from './Search.module.css'

/** The search results: customers first, because they are fewer. */
export function Results({ wanted }: { wanted: string }) {
  const words = useTranslations('search')
  const isLate = useIsLate()
  const list = useInfiniteQuery({
    queryKey: ['search', wanted],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call<SearchPage>(
        'GET',
        withQuery('/api/v2/search', { q: wanted, cursor: pageParam }),
        undefined,
        signal,
      ),
    getNextPageParam: (page) => page.meta.after ?? undefined,
    // Search again for new messages, but keep the results for browser history.
    staleTime: 10_000,
    gcTime: 60_000,
  })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = list
  if (!data) {
    if (error) return <ErrorState error={error} onRetry={refetch} />
    return isLate && <Waiting />
  }
  const contacts = data.pages.flatMap((page) => page.data.contacts)
  const messages = data.pages.flatMap((page) => page.data.messages)
  const isNothing = contacts.length === 0 && messages.length === 0
  return (
    <>
      <IndexDelay until={data.pages[0]?.meta.indexed_until} />
      {isNothing && !hasNextPage && <EmptyState title={words('nothing')} />}
      {contacts.length > 0 && (
        <section>
          <Title order={2} size="h4" id="found-contacts">
            {words('contacts')}
          </Title>
          <ul className={classes.list} aria-labelledby="found-contacts">
            {contacts.map((contact) => (
              <ContactResult key={contact.id} contact={contact} />
            ))}
          </ul>
        </section>
      )}
      {messages.length > 0 && (
        <section>
          <Title order={2} size="h4" id="found-messages">
            {words('messages')}
          </Title>
          <ul className={classes.list} aria-labelledby="found-messages">
            {messages.map((message) => (
              <MessageResult key={message.comment_id} message={message} />
            ))}
          </ul>
        </section>
      )}
      {hasNextPage && (
        <MoreButton
          label={words('more')}
          isLoading={isFetching}
          error={list.isFetchNextPageError ? error : null}
          onMore={() => void fetchNextPage()}
        />
      )}
    </>
  )
}

/** A note that messages after this time are not indexed yet. */
function IndexDelay({ until }: { until: string | null | undefined }) {
  const words = useTranslations('search')
  const format = useFormatter()
  if (!until) return null
  const time = format.dateTime(new Date(until), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Text size="sm" role="status">
      {words('behind', { time })}
    </Text>
  )
}

function Waiting() {
  const words = useTranslations('states')
  return (
    <Stack gap="sm" role="status" aria-label={words('loading')}>
      {[1, 2, 3, 4].map((line) => (
        <Skeleton key={line} height={64} />
      ))}
    </Stack>
  )
}
