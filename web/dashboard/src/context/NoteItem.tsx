import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Me, Note } from '../app/shapes'
import { WritingArea } from '../conversation/composer/writing/WritingArea'
import { mayAssign } from '../conversation/lock'
import { FormattedText } from '../conversation/types/FormattedText'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import classes from './Context.module.css'
import { DateTime } from './DateTime'
import { notesKey } from './useNotes'

interface NoteItemProps {
  me: Me
  room: string
  note: Note
}

/** A note. Its author can edit it; admins, supervisors and its author can delete it. */
export function NoteItem({ me, room, note }: NoteItemProps) {
  const words = useTranslations('context')
  const queries = useQueryClient()
  const [text, setText] = useState<string | null>(null)
  const path = `/api/v2/customer_rooms/${room}/notes/${note.id}`
  const isOwn = note.by?.id === me.user.id
  const change = useMutation({
    mutationFn: (text: string | null) =>
      text === null ? call('DELETE', path) : call('PATCH', path, { text }),
    onError: useErrorNotice(),
    onSuccess: () => setText(null),
    onSettled: () => queries.invalidateQueries({ queryKey: notesKey(room) }),
  })
  const who = note.by?.name ?? words('somebody')
  return (
    <li className={classes.note}>
      <Text size="xs" fw={600} component="div">
        {who} · <DateTime at={note.created_at} />
        {note.updated_at !== note.created_at && ` · ${words('edited')}`}
      </Text>
      {text === null ? (
        <FormattedText>{note.text}</FormattedText>
      ) : (
        <WritingArea aria-label={words('newText')} text={text} onText={setText} autoFocus />
      )}
      <Group gap="xs" mt={4}>
        {text === null ? (
          <>
            {isOwn && (
              <Quiet label={words('changeOf', { name: who })} onClick={() => setText(note.text)}>
                {words('edit')}
              </Quiet>
            )}
            {(isOwn || mayAssign(me)) && (
              <Quiet label={words('deleteOf', { name: who })} onClick={() => change.mutate(null)}>
                {words('delete')}
              </Quiet>
            )}
          </>
        ) : (
          <>
            <Quiet onClick={() => text.trim() && change.mutate(text.trim())}>{words('save')}</Quiet>
            <Quiet onClick={() => setText(null)}>{words('cancel')}</Quiet>
          </>
        )}
      </Group>
    </li>
  )
}

interface QuietProps {
  label?: string
  onClick: () => void
  children: string
}

function Quiet({ label, onClick, children }: QuietProps) {
  return (
    <Button size="compact-xs" variant="default" aria-label={label} onClick={onClick}>
      {children}
    </Button>
  )
}
