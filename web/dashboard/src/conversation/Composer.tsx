import { Button, Text, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Me, Row } from '../app/shapes'
import { useOutbox } from '../live/OutboxProvider'
import classes from './Conversation.module.css'
import { lockOf } from './lock'

const LENGTH_MAX = 4000
/** From here on it is said how much is left. */
const LENGTH_SHOWN = 3600

/** Where one writes. What was begun is kept on this device until it is sent. */
export function Composer({ me, row }: { me: Me; row: Row }) {
  const words = useTranslations('conversation')
  const { outbox } = useOutbox()
  const [text, setText] = useDraft(me, row.room_id)
  const length = [...text.trim()].length
  const lock = lockOf(me, row)
  const canSend = length > 0 && length <= LENGTH_MAX && outbox !== null

  async function send() {
    if (!canSend || lock !== null) return
    const body = { type: 'text', message: text.trim() }
    await outbox.add(row.room_id, crypto.randomUUID(), body)
    setText('')
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    void send()
  }

  function onKeyDown(event: KeyboardEvent) {
    // Enter also ends a word that is being composed.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }

  if (lock !== null) {
    return (
      <div className={classes.locked} role="note">
        <Text>{words(`locked.${lock}`)}</Text>
      </div>
    )
  }
  return (
    <form className={classes.composer} onSubmit={submit}>
      <Textarea
        className={classes.reply}
        aria-label={words('reply')}
        placeholder={words('replyHint')}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        error={length > LENGTH_MAX ? words('tooLong', { count: length - LENGTH_MAX }) : undefined}
        description={
          length >= LENGTH_SHOWN && length <= LENGTH_MAX
            ? words('left', { count: LENGTH_MAX - length })
            : undefined
        }
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" disabled={!canSend}>
        {words('send')}
      </Button>
    </form>
  )
}

/** A text that outlives the page, and that the other tabs see. */
function useDraft(me: Me, room: string): [string, (text: string) => void] {
  const key = `confab-draft/${me.app.code}/${me.user.id}/${room}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => {
    const inAnotherTab = (event: StorageEvent) => {
      if (event.key === key) setText(event.newValue ?? '')
    }
    addEventListener('storage', inAnotherTab)
    return () => removeEventListener('storage', inAnotherTab)
  }, [key])
  return [
    text,
    (text) => {
      if (text === '') localStorage.removeItem(key)
      else localStorage.setItem(key, text)
      setText(text)
    },
  ]
}
