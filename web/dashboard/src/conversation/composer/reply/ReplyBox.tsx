import { Button, Group } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, type RefObject, useState } from 'react'
import { useTranslations } from 'use-intl'
import { usePreferences } from '../../../app/PreferencesProvider'
import type { Comment, Me, Row } from '../../../app/shapes'
import { focusStart } from '../../../keys/regions'
import { useOutbox } from '../../../live/OutboxProvider'
import { useErrorNotice } from '../../../ui/feedback/useErrorNotice'
import type { ThreadEntry } from '../../messages/thread/useThread'
import { AttachButton } from '../attachments/AttachButton'
import { Attachments } from '../attachments/Attachments'
import { DropArea } from '../attachments/DropArea'
import { useUploads } from '../attachments/useUploads'
import classes from '../Composer.module.css'
import { EmojiButton } from '../emoji/EmojiButton'
import { Suggestions } from '../suggestions/Suggestions'
import { useSuggestions } from '../suggestions/useSuggestions'
import { useReportTyping } from '../useTyping'
import { LENGTH_MAX, lengthOf } from '../writing/length'
import { replaceText } from '../writing/replaceText'
import { isSendKey } from '../writing/sendKey'
import { useDraft } from '../writing/useDraft'
import { WritingArea } from '../writing/WritingArea'
import { AnsweredWarning } from './AnsweredWarning'
import { answersSince } from './answersSince'
import { bodiesOf } from './bodies'
import { QuotePreview } from './QuotePreview'
import { useDraftStart } from './useDraftStart'

export interface ReplyBoxProps {
  me: Me
  row: Row
  entries: ThreadEntry[]
  /** The message that the reply quotes. */
  quoted: Comment | null
  quote: (comment: Comment | null) => void
  area: RefObject<HTMLTextAreaElement | null>
}

/** The composer of a reply to the customer. Its text is stored on this device until it is sent. */
export function ReplyBox({ me, row, entries, quoted, quote, area }: ReplyBoxProps) {
  const words = useTranslations('composer')
  const { outbox } = useOutbox()
  const { preferences } = usePreferences()
  const [text, store, restore] = useDraft(me, row.room_id, 'draft', area)
  const [isWarned, setWarned] = useState(false)
  const uploads = useUploads(me)
  const draftStart = useDraftStart(me, row.room_id, text, entries)
  const reportTyping = useReportTyping(row.room_id)
  const write = (text: string) => {
    store(text)
    reportTyping(text !== '')
  }
  const suggestions = useSuggestions({ text, area, row })
  const fail = useErrorNotice()
  const others = answersSince(me, entries, draftStart.since)
  const isReady = uploads.items.every((it) => it.state === 'done')
  const canSend = (text: string) => {
    const length = lengthOf(text)
    const hasSomething = length > 0 || uploads.items.length > 0
    return hasSomething && isReady && length <= LENGTH_MAX && outbox !== null
  }

  /** Sends the field's current text, and clears the field before the next key is processed. */
  function send() {
    const written = area.current?.value ?? ''
    if (!area.current || outbox === null || !canSend(written)) return
    const bodies = bodiesOf(written, uploads.files, quoted)
    replaceText(area.current, '')
    uploads.clear()
    setWarned(false)
    quote(null)
    const added = bodies.map((body) => outbox.add(row.room_id, crypto.randomUUID(), body))
    Promise.all(added).catch((error: unknown) => {
      fail(error)
      restore(written)
    })
  }

  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    // Show the agent what others answered since the draft was started, before sending.
    if (others.length > 0 && !isWarned && canSend(area.current?.value ?? '')) setWarned(true)
    else send()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (suggestions.onKeyDown(event)) return
    if (isSendKey(event, preferences.sendKey)) submit(event)
    else if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    else if (quoted) quote(null)
    else focusStart()
  }

  return (
    <form className={classes.box} onSubmit={submit}>
      {isWarned && others.length > 0 && (
        <AnsweredWarning
          others={others}
          onSend={send}
          onBack={() => {
            draftStart.markSeen()
            setWarned(false)
            area.current?.focus()
          }}
        />
      )}
      {quoted && <QuotePreview comment={quoted} onClose={() => quote(null)} />}
      <Attachments uploads={uploads} />
      <div className={classes.suggested}>
        <Suggestions {...suggestions} />
        <WritingArea
          aria-label={words('reply')}
          placeholder={words('replyHint')}
          areaRef={area}
          text={text}
          onText={write}
          onKeyDown={onKeyDown}
          onBlur={() => {
            reportTyping(false)
            suggestions.close()
          }}
          onPaste={(event) => uploads.add(event.clipboardData.files)}
          {...suggestions.aria}
        />
      </div>
      <Group justify="space-between" gap="xs">
        <Group gap={4}>
          <AttachButton onFiles={uploads.add} />
          <EmojiButton area={area} />
        </Group>
        <Button type="submit" disabled={!canSend(text)}>
          {words('send')}
        </Button>
      </Group>
      <DropArea onFiles={uploads.add} />
    </form>
  )
}
