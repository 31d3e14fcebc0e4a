import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import { dayOf } from './days'
import { Icon } from './icons'
import { Message } from './Message'

/** Distance from the end within which the list follows new messages. */
const NEAR_PX = 60
/** Maximum time between two messages of one author in a group. */
const TOGETHER_MS = 5 * 60_000

/** All messages, the newest at the bottom. Scrolls to new messages unless the customer has scrolled
 * up. */
export function MessageList({ chat }: { chat: Chat }) {
  const box = useRef<HTMLDivElement>(null)
  const isFollowing = useSignal(true)
  const isLoading = useRef(false)
  const entries = chat.entries.value
  const { hasOldest } = chat.thread.value
  const hasRoom = chat.session.value !== undefined
  const isWaiting = hasRoom && !chat.isLoaded.value

  const follow = () => {
    const { current } = box
    if (current && isFollowing.peek()) current.scrollTop = current.scrollHeight
  }
  useLayoutEffect(follow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `follow` reads only a ref and a signal
  useLayoutEffect(() => {
    // Images load later than their messages, and the panel's height may change.
    const watch = new ResizeObserver(follow)
    for (const part of [box.current, box.current?.querySelector('ol')]) part && watch.observe(part)
    return () => watch.disconnect()
  }, [])

  async function loadOlder() {
    const { current } = box
    if (isLoading.current || !current) return
    isLoading.current = true
    const fromEnd = current.scrollHeight - current.scrollTop
    await chat.loadOlder().catch(() => {})
    // Keep the scroll position in browsers without scroll anchoring.
    requestAnimationFrame(() => {
      current.scrollTop = current.scrollHeight - fromEnd
      isLoading.current = false
    })
  }

  function scrolled() {
    const { current } = box
    if (!current) return
    const below = current.scrollHeight - current.scrollTop - current.clientHeight
    isFollowing.value = below < NEAR_PX
    if (current.scrollTop < current.clientHeight && hasRoom && !hasOldest) void loadOlder()
  }

  const lastOwn = entries.findLast(({ message }) => message && chat.isOwn(message))?.key
  return (
    <div class="list-frame">
      <section
        class="list"
        ref={box}
        onScroll={scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
        aria-label={chat.translate('messages')}
      >
        {hasRoom && !hasOldest && chat.isLoaded.value && (
          <button type="button" class="plain earlier" onClick={() => void loadOlder()}>
            {chat.translate('earlier')}
          </button>
        )}
        {(!hasRoom || hasOldest) && <p class="welcome">{chat.appText('welcome')}</p>}
        {isWaiting && entries.length === 0 && <p class="quiet">{chat.translate('loading')}</p>}
        <ol>
          {entries.map((entry, at) => {
            const before = entries[at - 1]?.message
            const after = entries[at + 1]?.message
            const { message, pending } = entry
            return (
              <li key={entry.key} class="entry">
                {message && <Day chat={chat} before={before?.timestamp} at={message.timestamp} />}
                <Message
                  chat={chat}
                  message={message}
                  pending={pending}
                  isFirst={!isTogether(before, message)}
                  isLast={!isTogether(message, after)}
                  isNewestOwn={entry.key === lastOwn}
                />
              </li>
            )
          })}
        </ol>
        {!chat.settings.value.is_anybody_there && !chat.problem.value && (
          <p class="notice">{chat.appText('away')}</p>
        )}
        {chat.typing.typist.value && (
          <p class="quiet typing" role="status">
            {chat.translate('typing', { name: chat.typing.typist.value })}
          </p>
        )}
      </section>
      {!isFollowing.value && (
        <button
          type="button"
          class="icon newest"
          aria-label={chat.translate('newest')}
          onClick={() => {
            isFollowing.value = true
            follow()
          }}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  )
}

/** The date, shown above the first message of a day. */
function Day({ chat, before, at }: { chat: Chat; before: string | undefined; at: string }) {
  const day = dayOf(chat, at)
  const isNew = before === undefined || day !== dayOf(chat, before)
  return isNew ? <p class="quiet day">{day}</p> : null
}

function isTogether(a: Comment | undefined, b: Comment | undefined): boolean {
  if (!a || !b || a.email !== b.email) return false
  if (a.type === 'system_event' || b.type === 'system_event') return false
  return Math.abs(Date.parse(b.timestamp) - Date.parse(a.timestamp)) < TOGETHER_MS
}
