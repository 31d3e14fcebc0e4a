import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, KeyboardEvent, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { backoff } from '../../../../shared/backoff'
import { CallError, call } from '../../../../shared/call'
import { usePreferences } from '../../app/PreferencesProvider'
import type { Me, Row } from '../../app/shapes'
import { notesKey } from '../../context/useNotes'
import { useFailure } from '../../ui/useFailure'
import classes from './Composer.module.css'
import { LENGTH_MAX, lengthOf } from './length'
import { forgetName, named } from './noteName'
import { isSendKey } from './sendKey'
import { useDraft } from './useDraft'
import { WritingArea } from './WritingArea'

/** After so many tries, in about a minute, somebody must press again: it has the same name still. */
const TRIES = 7

interface NoteBoxProps {
  me: Me
  row: Row
  areaRef: Ref<HTMLTextAreaElement>
}

/** What only colleagues read. Anybody who may see a conversation may leave one. */
export function NoteBox({ me, row, areaRef }: NoteBoxProps) {
  const words = useTranslations('composer')
  const sent = useTranslations('conversation')
  const queries = useQueryClient()
  const { preferences } = usePreferences()
  const [text, setText, forget] = useDraft(me, row.room_id, 'note')
  const length = lengthOf(text)
  const add = useMutation({
    mutationFn: (note: { text: string; unique_temp_id: string }) =>
      call('POST', `/api/v2/customer_rooms/${row.room_id}/notes`, note),
    // The server takes one name once: whether only its answer was lost need not be known.
    retry: (tries, error) => tries < TRIES && error instanceof CallError && error.isPassing,
    retryDelay: (tries) => backoff(tries + 1),
    onError: useFailure(),
    onSuccess: (_, note) => {
      forgetName(me, row.room_id)
      forget(note.text)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: notesKey(row.room_id) }),
  })
  const canAdd = length > 0 && length <= LENGTH_MAX && !add.isPending
  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    if (canAdd) add.mutate(named(me, row.room_id, text.trim()))
  }
  return (
    <form className={classes.box} onSubmit={submit}>
      <WritingArea
        areaRef={areaRef}
        aria-label={words('note')}
        placeholder={words('noteHint')}
        text={text}
        onText={setText}
        onKeyDown={(event) => isSendKey(event, preferences.sendKey) && submit(event)}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          {add.isPending ? sent('sending') : words('noteFor')}
        </Text>
        <Button type="submit" disabled={!canAdd} className={classes.noteButton ?? ''}>
          {words('addNote')}
        </Button>
      </Group>
    </form>
  )
}
