import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call, withQuery } from '../../../shared/call'
import type { Page, PastConversation, Row } from '../app/shapes'
import classes from './Context.module.css'
import { PastItem } from './PastItem'

/** The customer's resolved conversations, each with its messages. */
export function History({ row }: { row: Row }) {
  const words = useTranslations('context')
  const path = `/api/v2/customer_rooms/${row.room_id}/conversations`
  const { data, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['live', 'conversations', row.room_id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call<Page<{ conversations: PastConversation[] }>>(
        'GET',
        withQuery(path, { cursor: pageParam, limit: 10 }),
      ),
    getNextPageParam: (page) => page.meta.after ?? undefined,
  })
  const all = data?.pages.flatMap((page) => page.data.conversations)
  const past = all?.filter((it) => it.resolved_at !== null)
  return (
    <>
      {past?.length === 0 && (
        <Text size="sm" className="muted">
          {words('noHistory')}
        </Text>
      )}
      <ul className={classes.list} aria-label={words('history')}>
        {past?.map((conversation) => (
          <PastItem key={conversation.id} conversation={conversation} />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          size="compact-sm"
          variant="subtle"
          loading={isFetching}
          onClick={() => void fetchNextPage()}
        >
          {words('olderHistory')}
        </Button>
      )}
    </>
  )
}
