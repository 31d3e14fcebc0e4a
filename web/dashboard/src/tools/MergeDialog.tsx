import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { AppTag } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { TAGS, useTags, useToolMutation } from './useTools'

/** The dialog that merges a tag into another one: all its rooms get the other tag. */
export function MergeDialog({ tag, onClose }: { tag: AppTag; onClose: () => void }) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const mutation = useToolMutation(TAGS)
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data, hasNextPage } = useTags(asked)
  const others = (data?.pages ?? []).flatMap((page) => page.data).filter(({ id }) => id !== tag.id)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const merge_into = Number(new FormData(event.currentTarget).get('into'))
    const into = others.find(({ id }) => id === merge_into)?.name ?? ''
    mutation.mutate(
      { method: 'PUT', id: tag.id, body: { merge_into } },
      {
        onSuccess() {
          showDone(words('tags.merged', { name: tag.name, into }))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('tags.mergeTitle', { name: tag.name })}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{words('tags.mergeHelp', { name: tag.name })}</Text>
          {(hasNextPage || text !== '') && (
            <TextInput
              type="search"
              label={words('tags.search')}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            name="into"
            label={words('tags.into')}
            data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
            required
            withAsterisk={false}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button
              type="submit"
              color="red.9"
              loading={mutation.isPending}
              disabled={others.length === 0}
            >
              {words('merge')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
