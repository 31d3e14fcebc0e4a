import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Chat } from '../state/chat'
import { Launcher } from './Launcher'
import { Panel } from './Panel'

/** The launcher or the panel. Closing the panel focuses the launcher. */
export function Widget({ chat, mode }: { chat: Chat; mode: 'widget' | 'page' }) {
  const isOpen = chat.isOpen.value
  const launcher = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(isOpen)
  // A layout effect, because key presses before it would go to the page.
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) launcher.current?.focus({ preventScroll: true })
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <>
      {isOpen ? <Panel chat={chat} mode={mode} /> : <Launcher chat={chat} button={launcher} />}
      <Log chat={chat} />
    </>
  )
}

/** Announces each new message of others once to screen readers. */
function Log({ chat }: { chat: Chat }) {
  const comment = chat.announced.value
  const text = comment?.message || chat.translate('message')
  return (
    <div class="hidden" role="log" aria-live="polite">
      {comment && (
        <p key={comment.unique_temp_id}>
          {chat.translate('said', { name: comment.username, text })}
        </p>
      )}
    </div>
  )
}
