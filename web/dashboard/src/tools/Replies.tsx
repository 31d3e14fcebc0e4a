import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { CannedReply } from '../app/shapes'
import { LANGUAGES } from '../app/WordsProvider'
import { ConfirmDialog } from '../channels/ConfirmDialog'
import { useIsOffline } from '../live/useIsOffline'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { MoreButton } from '../ui/MoreButton'
import { ReplyDialog } from './ReplyDialog'
import classes from './Tools.module.css'
import { REPLIES, useReplies, useToolMutation } from './useTools'

/** The canned replies: shared ones, and the user's own. */
export function Replies() {
  const words = useTranslations('tools')
  const isOffline = useIsOffline()
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useReplies(asked)
  const [edited, setEdited] = useState<CannedReply | 'new' | null>(null)
  const all = data?.pages.flatMap((page) => page.data.canned_replies)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <Text size="sm" className={classes.about}>
          {words('replies.help')}
        </Text>
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={isOffline}
          onClick={() => setEdited('new')}
        >
          {words('replies.add')}
        </Button>
      </Group>
      <TextInput
        type="search"
        aria-label={words('replies.search')}
        placeholder={words('replies.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <SkeletonRows count={3} height={72} />}
      {all?.length === 0 && <EmptyState title={words(asked ? 'nothingFound' : 'replies.none')} />}
      <ul className={classes.list} aria-label={words('parts.replies')}>
        {all?.map((reply) => (
          <Item key={reply.id} reply={reply} onChange={() => setEdited(reply)} />
        ))}
      </ul>
      {hasNextPage && (
        <MoreButton
          label={words('more')}
          isLoading={isFetchingNextPage}
          error={error}
          onMore={() => void fetchNextPage()}
        />
      )}
      {edited && (
        <ReplyDialog
          reply={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Stack>
  )
}

function Item({ reply, onChange }: { reply: CannedReply; onChange: () => void }) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const [isAsking, setAsking] = useState(false)
  const mutation = useToolMutation(REPLIES)
  const name = `/${reply.shortcut.replace(/^\//, '')}`
  const languages: Record<string, string> = LANGUAGES
  const remove = () =>
    mutation.mutate(
      { method: 'DELETE', id: reply.id },
      {
        onSuccess() {
          setAsking(false)
          showDone(words('deleted', { name }))
        },
      },
    )
  return (
    <li className={classes.item}>
      <div className={classes.grow}>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          <Badge variant="outline" tt="none" className={classes.mark ?? ''}>
            {words(reply.is_shared ? 'replies.shared' : 'replies.own')}
          </Badge>
          {reply.language && (
            <Text size="sm" className="muted">
              {languages[reply.language] ?? reply.language}
            </Text>
          )}
        </Group>
        <Text size="sm" className={classes.said}>
          {reply.text}
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={isOffline}
          aria-label={words('changeOf', { name })}
          onClick={onChange}
        >
          {words('change')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isOffline}
          aria-label={words('deleteOf', { name })}
          onClick={() => setAsking(true)}
        >
          {words('delete')}
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words('deleteTitle', { name })}
        help={words(reply.is_shared ? 'replies.deleteShared' : 'replies.deleteOwn')}
        yes={words('delete')}
        isPending={mutation.isPending}
        onYes={remove}
      />
    </li>
  )
}
