import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Me, Row } from '../app/shapes'
import { FormattedText } from '../conversation/types/FormattedText'
import classes from './Context.module.css'
import { NoteItem } from './NoteItem'
import { useNotes } from './useNotes'

/** The notes of a room, and its resolution notes. */
export function Notes({ me, row }: { me: Me; row: Row }) {
  const words = useTranslations('context')
  const { data } = useNotes(row.room_id)
  const isEmpty = data?.length === 0 && !row.notes
  return (
    <>
      {isEmpty && (
        <Text size="sm" className="muted">
          {words('noNotes')}
        </Text>
      )}
      {row.notes && (
        <div className={classes.note}>
          <Text size="xs" fw={600}>
            {words('ofConversation')}
          </Text>
          <FormattedText>{row.notes}</FormattedText>
        </div>
      )}
      <ul className={classes.list} aria-label={words('notes')}>
        {data?.map((note) => (
          <NoteItem key={note.id} me={me} room={row.room_id} note={note} />
        ))}
      </ul>
    </>
  )
}
