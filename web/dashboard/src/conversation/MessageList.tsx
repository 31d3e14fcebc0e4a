import { Button, VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Me } from '../app/shapes'
import { ErrorState } from '../ui/ErrorState'
import { Loading } from '../ui/Loading'
import classes from './Conversation.module.css'
import { Message } from './Message'
import type { ThreadEntry } from './useThread'

/** How far from its end the list still follows what comes. */
const FOLLOW_PX = 80
/** How near to its beginning older messages are fetched. */
const OLDER_PX = 1500
const ENTRY_PX = 72

interface MessageListProps {
  me: Me
  entries: ThreadEntry[]
  error: unknown
  isLoaded: boolean
  hasOldest: boolean
  loadOlder: () => void
  retry: () => void
}

/** What was said. Only what is on screen is drawn; a hidden log tells screen readers what is new. */
export function MessageList({
  me,
  entries,
  error,
  isLoaded,
  hasOldest,
  loadOlder,
  retry,
}: MessageListProps) {
  const words = useTranslations('conversation')
  const format = useFormatter()
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ENTRY_PX,
    overscan: 6,
    getItemKey: (index) => entries[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: FOLLOW_PX,
  })
  const announced = useAnnouncement(me, entries)
  const { scrollToEnd } = virtual
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the first page is here
  useEffect(() => {
    if (isLoaded) scrollToEnd()
  }, [isLoaded])
  if (error && entries.length === 0) return <ErrorState error={error} onRetry={retry} />
  if (!isLoaded) return <Loading />

  return (
    <div className={classes.frame}>
      <div
        ref={scroll}
        className={classes.scroll}
        onScroll={(event) => {
          if (event.currentTarget.scrollTop < OLDER_PX) loadOlder()
        }}
      >
        <ol
          className={classes.messages}
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
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={hasOldest ? entries.length : -1}
                aria-posinset={index + 1}
              >
                {isNewDay && (
                  <p className={classes.day}>{format.dateTime(day, { dateStyle: 'full' })}</p>
                )}
                <Message me={me} entry={entry} />
              </li>
            )
          })}
        </ol>
      </div>
      {!virtual.isAtEnd() && (
        <Button
          className={classes.newest ?? ''}
          size="xs"
          radius="xl"
          onClick={() => virtual.scrollToEnd()}
        >
          {words('toNewest')}
        </Button>
      )}
      <VisuallyHidden role="log" aria-live="polite" aria-label={words('newMessages')}>
        {announced && <p key={announced.key}>{announced.text}</p>}
      </VisuallyHidden>
    </div>
  )
}

function dayOf({ message, pending }: ThreadEntry): Date {
  return new Date(message?.timestamp ?? pending?.written_at ?? 0)
}

/** The newest message of somebody else that came while the conversation was open, to be read aloud
 * once. */
function useAnnouncement(me: Me, entries: ThreadEntry[]): { key: string; text: string } | null {
  const [announced, setAnnounced] = useState<{ key: string; text: string } | null>(null)
  const seen = useRef<string | null>(null)
  const newest = entries.findLast((entry) => entry.message)?.message
  useEffect(() => {
    if (!newest) return
    const isFirst = seen.current === null
    if (seen.current === newest.unique_temp_id) return
    seen.current = newest.unique_temp_id
    if (isFirst || newest.email === me.user.chat_user_id) return
    setAnnounced({ key: newest.unique_temp_id, text: `${newest.username}: ${newest.message}` })
  }, [newest, me.user.chat_user_id])
  return announced
}
