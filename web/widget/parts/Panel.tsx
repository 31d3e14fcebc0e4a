import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Chat } from '../state/chat'
import { Composer } from './Composer'
import { Header } from './Header'
import { MessageList } from './MessageList'
import { more } from './more'

/** The conversation: a dialog without a focus trap, or the whole page. Files can be dropped
 * anywhere on it. */
export function Panel({ chat, mode }: { chat: Chat; mode: 'widget' | 'page' }) {
  const isDragged = useSignal(false)
  const panel = useRef<HTMLDivElement>(null)
  const isPage = mode === 'page'
  const isOver = chat.isResolved.value && chat.settings.value.is_sessional
  const { Notices, PreChat, UploadList } = more.value ?? {}
  const canWrite = !chat.hasForm && !chat.problem.value
  useLayoutEffect(() => {
    // On touch screens, a focused field opens a keyboard that covers half of the screen.
    const isTouch = matchMedia('(pointer: coarse)').matches
    const field = panel.current?.querySelector<HTMLElement>('textarea, .field input')
    if (!isPage)
      (isTouch ? panel.current : (field ?? panel.current))?.focus({ preventScroll: true })
  }, [isPage])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a dialog or the page itself
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support a name
    <div
      ref={panel}
      class={isPage ? 'panel page' : 'panel'}
      role={isPage ? 'main' : 'dialog'}
      aria-label={chat.appText('title')}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isPage && !event.isComposing) chat.open(false)
      }}
      onDragOver={(event) => {
        event.preventDefault()
        isDragged.value = canWrite
      }}
      onDragLeave={() => {
        isDragged.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        isDragged.value = false
        if (canWrite && !isOver) more.value?.uploadFiles(chat, event.dataTransfer?.files)
      }}
    >
      <Header chat={chat} canClose={!isPage} />
      {chat.hasForm && PreChat ? <PreChat chat={chat} /> : <MessageList chat={chat} />}
      {Notices && <Notices chat={chat} />}
      {canWrite && !isOver && (
        <>
          {UploadList && <UploadList chat={chat} />}
          <Composer chat={chat} />
        </>
      )}
      {isDragged.value && <p class="drop">{chat.translate('drop')}</p>}
    </div>
  )
}
