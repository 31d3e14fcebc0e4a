import { Button, Group, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { FormEvent, KeyboardEvent, RefObject } from 'react'
import { useTranslations } from 'use-intl'
import { usePreferences } from '../../app/PreferencesProvider'
import type { Me, Row } from '../../app/shapes'
import { focusStart } from '../../keys/regions'
import { useNoteOutbox } from '../../live/OutboxProvider'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { UnsentItem } from '../messages/UnsentItem'
import classes from './Composer.module.css'
import { LENGTH_MAX, lengthOf } from './writing/length'
import { replaceText } from './writing/replaceText'
import { isSendKey } from './writing/sendKey'
import { useDraft } from './writing/useDraft'
import { WritingArea } from './writing/WritingArea'

interface NoteBoxProps {
  me: Me
  row: Row
  area: RefObject<HTMLTextAreaElement | null>
}

/** The composer of a note, which only agents see. All agents who may see a conversation may add
 * notes to it. */
export function NoteBox({ me, row, area }: NoteBoxProps) {
  const words = useTranslations('composer')
  const sent = useTranslations('conversation')
  const fail = useErrorNotice()
  const { items, outbox } = useNoteOutbox()
  const { preferences } = usePreferences()
  const [text, store, restore] = useDraft(me, row.room_id, 'note', area)
  const waiting = items.filter((it) => it.room_id === row.room_id)
  const refused = waiting.filter((it) => it.refused !== undefined)
  const canAdd = (text: string) => {
    const length = lengthOf(text)
    return length > 0 && length <= LENGTH_MAX && outbox !== null
  }

  /** Sends the field's current text, and clears the field before the next key is processed. */
  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    const written = area.current?.value ?? ''
    if (!area.current || outbox === null || !canAdd(written)) return
    replaceText(area.current, '')
    const body = { text: written.trim() }
    outbox.add(row.room_id, crypto.randomUUID(), body).catch((error: unknown) => {
      fail(error)
      restore(written)
    })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isSendKey(event, preferences.sendKey)) submit(event)
    else if (event.key === 'Escape' && !event.nativeEvent.isComposing) focusStart()
  }

  return (
    <form className={classes.box} onSubmit={submit}>
      {refused.map((item) => (
        <UnsentItem key={item.unique_temp_id} item={item} outbox={outbox} />
      ))}
      <Group gap={6} wrap="nowrap" className={classes.noteFor ?? ''}>
        <IconLock size={16} aria-hidden />
        <Text size="sm" fw={600} role="status">
          {waiting.length > refused.length ? sent('sending') : words('noteFor')}
        </Text>
      </Group>
      <WritingArea
        areaRef={area}
        aria-label={words('note')}
        placeholder={words('noteHint')}
        classNames={{ input: classes.noteInput ?? '' }}
        text={text}
        onText={store}
        onKeyDown={onKeyDown}
      />
      <Group justify="flex-end">
        <Button
          type="submit"
          disabled={!canAdd(text)}
          className={classes.noteButton ?? ''}
          leftSection={<IconLock size={16} aria-hidden />}
        >
          {words('addNote')}
        </Button>
      </Group>
    </form>
  )
}
