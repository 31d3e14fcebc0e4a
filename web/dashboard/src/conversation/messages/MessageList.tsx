import { Button, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Comment, Me, Row } from '../../app/shapes'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { ErrorState } from '../../ui/feedback/ErrorState'
import classes from '../Conversation.module.css'
import { ListLoading } from './ListLoading'
import { Message } from './Message'
import type { RoomThread, ThreadEntry } from './thread/useThread'
import { useAnnouncements } from './useAnnouncements'
import { useNewLine } from './useNewLine'
import { useStickToEnd } from './useStickToEnd'
import { useUnseen } from './useUnseen'

/** Distance from the end within which the list follows new messages, in pixels. */
const FOLLOW_PX = 80
/** Distance from either end within which more messages are loaded, in screens. */
const OLDER_SCREENS = 3
const ENTRY_PX = 72

interface MessageListProps {
  me: Me
  room: string
  row: Row | undefined
  thread: RoomThread
  /** The message id in the link. */
  linkedId: string | null
  quote: ((comment: Comment) => void) | null
}

/** The list of messages. Only visible messages are rendered; a visually hidden log announces new
 * ones to screen readers. */
export function MessageList({ me, room, row, thread, linkedId, quote }: MessageListProps) {
  const words = useTranslations('conversation')
  const format = useFormatter()
  const scroll = useRef<HTMLDivElement>(null)
  const { entries, error, isLoaded, hasOldest, hasNewest } = thread
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ENTRY_PX,
    overscan: 6,
    getItemKey: (index) => entries[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: hasNewest,
    scrollEndThreshold: FOLLOW_PX,
  })
  const announcements = useAnnouncements(me, entries)
  const newLine = useNewLine(me, room, entries)
  const isAtEnd = virtual.isAtEnd() && hasNewest
  const unseen = useUnseen(me, entries, isAtEnd) + thread.missed
  const [wanted, setWanted] = useState<string | null>(linkedId)
  const [target, setTarget] = useState<string | null>(null)
  const { scrollToIndex } = virtual
  const {
    stick,
    unstick,
    onScroll: onMoved,
  } = useStickToEnd({
    scroll,
    size: virtual.getTotalSize(),
    nearPx: FOLLOW_PX,
    isEnd: hasNewest,
    startsThere: linkedId === null,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the link's target changes
  useEffect(() => {
    if (isLoaded && linkedId !== null) jump(linkedId)
  }, [linkedId])
  // Scroll to a message that the agent sends, wherever they are reading.
  const written = entries.at(-1)?.pending?.unique_temp_id
  useEffect(() => {
    if (written !== undefined) stick()
  }, [written, stick])
  // Scroll to the wanted message once it is loaded; `newest` is the end of the thread.
  useEffect(() => {
    if (!isLoaded || wanted === null) return
    const index = indexOf(entries, wanted)
    if (index < 0 && !thread.isGone) return
    setWanted(null)
    setTarget(wanted === NEWEST ? null : wanted)
    if (wanted === NEWEST || index < 0) return stick()
    unstick()
    scrollToIndex(index, { align: 'center' })
  }, [isLoaded, wanted, entries, thread.isGone, stick, unstick, scrollToIndex])

  function jump(id: string) {
    setTarget(null)
    setWanted(id)
    if (indexOf(entries, id) < 0) void thread.goTo(id)
  }
  function jumpToNewest() {
    setTarget(null)
    if (hasNewest) stick()
    else void thread.goTo(null).then(() => setWanted(NEWEST))
  }
  function onScroll(element: HTMLDivElement) {
    const { scrollTop, clientHeight, scrollHeight } = element
    onMoved(element)
    const margin = OLDER_SCREENS * clientHeight
    if (scrollTop < margin) void thread.loadOlder()
    if (!hasNewest && scrollHeight - scrollTop - clientHeight < margin) void thread.loadNewer()
  }

  if (error && entries.length === 0) return <ErrorState error={error} onRetry={thread.retry} />
  if (!isLoaded) return <ListLoading />
  if (entries.length === 0) return <EmptyState title={words('noMessage')} />

  return (
    <div className={classes.frame}>
      <div
        ref={scroll}
        className={classes.scroll}
        onScroll={(event) => onScroll(event.currentTarget)}
      >
        <ol
          className={classes.messages}
          data-messages
          tabIndex={-1}
          aria-label={words('messages')}
          style={{ blockSize: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const entry = entries[index]
            if (!entry) return null
            const day = dayOf(entry)
            const before = entries[index - 1]
            const isNewDay =
              before === undefined || dayOf(before).toDateString() !== day.toDateString()
            return (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={classes.entry}
                data-is-target={target !== null && entry.message?.id_str === target}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={hasOldest && hasNewest ? entries.length : -1}
                aria-posinset={index + 1}
              >
                {isNewDay && (
                  <p className={classes.day}>{format.dateTime(day, { dateStyle: 'full' })}</p>
                )}
                {entry.key === newLine && <p className={classes.newLine}>{words('newLine')}</p>}
                <Message
                  me={me}
                  row={row}
                  entry={entry}
                  isEdited={thread.edited.has(entry.key)}
                  put={thread.put}
                  jump={jump}
                  quote={quote}
                />
              </li>
            )
          })}
        </ol>
      </div>
      {!isAtEnd && (
        <Button
          className={classes.newest ?? ''}
          size="xs"
          radius="xl"
          leftSection={<IconArrowDown size={14} aria-hidden />}
          onClick={jumpToNewest}
        >
          {unseen > 0 ? words('toNewestCount', { count: unseen }) : words('toNewest')}
        </Button>
      )}
      {thread.isGone && (
        <Text className={classes.notFound} role="alert">
          {words('messageGone')}
        </Text>
      )}
      <VisuallyHidden role="log" aria-live="polite" aria-label={words('newMessages')}>
        {announcements.map(({ key, text }) => (
          <p key={key}>{text}</p>
        ))}
      </VisuallyHidden>
    </div>
  )
}

const NEWEST = 'newest'

function indexOf(entries: readonly ThreadEntry[], id: string): number {
  if (id === NEWEST) return entries.length - 1
  return entries.findIndex((entry) => entry.message?.id_str === id)
}

function dayOf({ message, pending }: ThreadEntry): Date {
  return new Date(message?.timestamp ?? pending?.written_at ?? 0)
}
