import { Tabs } from '@mantine/core'
import { IconArrowBackUp, IconNote } from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../../app/lazyPart'
import type { View } from '../../inbox/views'
import { useAction } from '../../keys/KeysProvider'
import { isWindowClosed, type Lock, lockOf, mayAssign } from '../lock'
import classes from './Composer.module.css'
import { focusComposerIfRequested } from './composer_focus'
import { LockedNotice } from './LockedNotice'
import { NoteBox } from './NoteBox'
import { ReplyBox, type ReplyBoxProps } from './reply/ReplyBox'
import { TypingLine } from './TypingLine'

const ClosedWindow = lazyPart(() => import('../../templates/ClosedWindow'))

interface ComposerProps extends Omit<ReplyBoxProps, 'area'> {
  view: View
  isGone: boolean
  /** Whether the channel is switched off or deleted, so that replies cannot be sent. */
  isOff: boolean
}

type Kind = 'reply' | 'note'

/** The locks under which an agent may add notes: they can reply, or could take the conversation. */
const MAY_NOTE: readonly (Lock | null)[] = [null, 'nobody', 'bot', 'channelOff']

/** The tabs in which an agent writes replies and notes. The two look different to prevent mixing
 * them up. */
export function Composer(props: ComposerProps) {
  const { me, row, view, isGone, isOff, quoted } = props
  const words = useTranslations('composer')
  const [kind, setKind] = useState<Kind>('reply')
  const reply = useRef<HTMLTextAreaElement>(null)
  const note = useRef<HTMLTextAreaElement>(null)
  const lock = lockOf(me, row, isGone, isOff)
  const show = (kind: Kind) => {
    // Render synchronously, so that the next key is not typed into the previous field.
    flushSync(() => {
      props.quote(null)
      setKind(kind)
    })
    ;(kind === 'reply' ? reply : note).current?.focus()
  }
  useAction('reply', lock === null ? () => show('reply') : null)
  const mayNote = mayAssign(me) || MAY_NOTE.includes(lock)
  useAction('note', mayNote ? () => show('note') : null)
  const shown = quoted || !mayNote ? 'reply' : kind
  useEffect(() => {
    if (!quoted) return
    // The reply tab stays open when the quote is removed.
    setKind('reply')
    reply.current?.focus()
  }, [quoted])
  useEffect(() => {
    if (lock === null)
      focusComposerIfRequested(row.room_id, (shown === 'reply' ? reply : note).current)
  }, [lock, row.room_id, shown])
  if (lock === 'gone') return <LockedNotice me={me} row={row} view={view} lock={lock} />
  return (
    <Tabs
      className={classes.composer}
      data-kind={shown}
      value={shown}
      onChange={(chosen) => {
        props.quote(null)
        setKind(chosen === 'note' ? 'note' : 'reply')
      }}
    >
      <Tabs.List>
        <Tabs.Tab value="reply" leftSection={<IconArrowBackUp size={16} aria-hidden />}>
          {words('reply')}
        </Tabs.Tab>
        <Tabs.Tab value="note" disabled={!mayNote} leftSection={<IconNote size={16} aria-hidden />}>
          {words('note')}
        </Tabs.Tab>
        <TypingLine me={me} room={row.room_id} />
      </Tabs.List>
      <Tabs.Panel value="reply">
        {lock === null ? (
          isWindowClosed(row) ? (
            <Suspense>
              <ClosedWindow row={row} />
            </Suspense>
          ) : (
            <ReplyBox {...props} area={reply} />
          )
        ) : (
          <LockedNotice me={me} row={row} view={view} lock={lock} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="note">
        <NoteBox me={me} row={row} area={note} />
      </Tabs.Panel>
    </Tabs>
  )
}
