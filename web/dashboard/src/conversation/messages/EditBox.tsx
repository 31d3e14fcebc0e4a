import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import { usePreferences } from '../../app/PreferencesProvider'
import type { Comment, Data } from '../../app/shapes'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import classes from '../Conversation.module.css'
import { LENGTH_MAX, lengthOf } from '../composer/writing/length'
import { isSendKey } from '../composer/writing/sendKey'
import { WritingArea } from '../composer/writing/WritingArea'
import { messagePath } from './messagePath'

interface EditBoxProps {
  comment: Comment
  put: (comment: Comment) => void
  onClose: () => void
}

/** The editor of the agent's own message, shown in its place. */
export default function EditBox({ comment, put, onClose }: EditBoxProps) {
  const words = useTranslations('message')
  const { preferences } = usePreferences()
  const [text, setText] = useState(comment.message)
  const length = lengthOf(text)
  const save = useMutation({
    mutationFn: () =>
      call<Data<{ comment: Comment }>>('PATCH', messagePath(comment), { message: text.trim() }),
    onError: useErrorNotice(),
    onSuccess({ data }) {
      put(data.comment)
      onClose()
    },
  })
  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    if (text.trim() === comment.message) onClose()
    else if (length > 0 && length <= LENGTH_MAX) save.mutate()
  }
  return (
    <form className={classes.edit} onSubmit={submit}>
      <Stack gap="xs">
        <WritingArea
          aria-label={words('corrected')}
          text={text}
          onText={setText}
          autoFocus
          onKeyDown={(event) => {
            if (isSendKey(event, preferences.sendKey)) submit(event)
            else if (event.key === 'Escape') onClose()
          }}
        />
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            {words('cancel')}
          </Button>
          <Button size="xs" type="submit" loading={save.isPending}>
            {words('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
