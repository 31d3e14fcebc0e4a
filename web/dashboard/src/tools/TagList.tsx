import { Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorState } from '../ui/feedback/ErrorState'
import { SkeletonRows } from '../ui/feedback/SkeletonRows'
import { MoreButton } from '../ui/MoreButton'
import { TagItem } from './TagItem'
import classes from './Tools.module.css'
import { useTags } from './useTools'

/** The app's tags. Tags are created in conversations; this list renames, merges and deletes
 * them. */
export function TagList() {
  const words = useTranslations('tools')
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useTags(asked)
  const all = data?.pages.flatMap((page) => page.data)
  return (
    <Stack gap="md">
      <Text size="sm">{words('tags.help')}</Text>
      <TextInput
        type="search"
        aria-label={words('tags.search')}
        placeholder={words('tags.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <SkeletonRows count={3} height={56} />}
      {all?.length === 0 && <EmptyState title={words(asked ? 'nothingFound' : 'tags.none')} />}
      <ul className={classes.list} aria-label={words('parts.tags')}>
        {all?.map((tag) => (
          <TagItem key={tag.id} tag={tag} />
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
    </Stack>
  )
}
