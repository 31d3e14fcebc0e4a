import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { call, withQuery } from '../../../shared/call'
import { compareIds } from '../../../shared/thread'
import type { Comment, Page, PastConversation } from '../app/shapes'
import { SystemEvent } from '../conversation/messages/SystemEvent'
import { isFromCustomer } from '../conversation/messages/sender'
import { Time } from '../conversation/messages/Time'
import { Content } from '../conversation/types/Content'
import { Spinner } from '../ui/feedback/Loading'
import classes from './Context.module.css'

/** The messages of a resolved conversation, from its start. */
export function PastMessages({ conversation }: { conversation: PastConversation }) {
  const words = useTranslations('context')
  const [place, goTo] = useLocation()
  const { comments, isPending, hasNextPage, fetchNextPage } = usePast(conversation)
  if (isPending) return <Spinner label={words('read')} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <ol className={classes.past} tabIndex={0} aria-label={words('past')}>
      {comments.map((comment) => (
        <li key={comment.unique_temp_id}>
          {comment.type === 'system_event' ? (
            <SystemEvent comment={comment} />
          ) : (
            <>
              <Text size="xs" className="muted" component="div">
                {comment.username} · <Time at={comment.timestamp} />
              </Text>
              {comment.is_deleted ? (
                <Text size="sm" fs="italic" className="muted">
                  {words('deleted')}
                </Text>
              ) : (
                <Content
                  comment={comment}
                  isTrusted={!isFromCustomer(comment)}
                  jump={(id) => goTo(`${place}?m=${id}`)}
                />
              )}
            </>
          )}
        </li>
      ))}
      {hasNextPage && (
        <li>
          <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
            {words('more')}
          </Button>
        </li>
      )}
    </ol>
  )
}

function usePast({ room_id, id, first_comment_id, last_comment_id }: PastConversation) {
  const first = first_comment_id ?? '1'
  const last = last_comment_id ?? first
  const query = useInfiniteQuery({
    queryKey: ['past', room_id, id],
    // Pages start after an id: use the id before the first message.
    initialPageParam: String(BigInt(first) - 1n),
    queryFn: ({ pageParam }) =>
      call<Page<{ comments: Comment[] }>>(
        'GET',
        withQuery(`/api/v2/customer_rooms/${room_id}/messages`, { after: pageParam, limit: 50 }),
      ),
    getNextPageParam: ({ data, meta }) => {
      const newest = data.comments[data.comments.length - 1]?.id_str
      const isThere = newest !== undefined && compareIds(newest, last) < 0
      return isThere ? (meta.after ?? undefined) : undefined
    },
  })
  const all = query.data?.pages.flatMap((page) => page.data.comments) ?? []
  return { ...query, comments: all.filter((it) => compareIds(it.id_str, last) <= 0) }
}
