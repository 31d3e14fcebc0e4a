import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Chat } from '../state/chat'
import { Icon } from './icons'
import { more } from './more'

const LENGTH_MAX = 4000
/** Length from which the remaining characters are shown. */
const LENGTH_SHOWN = 3600
const HEIGHT_MAX = 140

/** The message field. The draft is stored across page loads. */
export function Composer({ chat }: { chat: Chat }) {
  const text = useSignal(chat.store.read().draft ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const length = lengthOf(text.value)
  const isTooLong = length > LENGTH_MAX

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.blockSize = 'auto'
    area.style.blockSize = `${Math.min(area.scrollHeight, HEIGHT_MAX)}px`
  }, [text.value])

  function write(value: string) {
    text.value = value
    chat.store.change({ draft: value || undefined })
  }

  /** Sends the field's current text and empties the field at once, before the next key press;
   * rendering follows later. */
  function send(event: Event) {
    event.preventDefault()
    const area = field.current
    if (!area || !canSend(lengthOf(area.value))) return
    chat.post({ type: 'text', comment: area.value.trim() })
    area.value = ''
    write('')
    area.focus()
  }

  return (
    <form class="composer" onSubmit={send}>
      {length >= LENGTH_SHOWN && (
        <p class={isTooLong ? 'length wrong' : 'length'} role="status">
          {chat.translate(isTooLong ? 'tooLong' : 'left', { count: Math.abs(LENGTH_MAX - length) })}
        </p>
      )}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={chat.settings.value.upload.types.map(accepted).join()}
        onChange={(event) => {
          more.value?.uploadFiles(chat, event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="icon"
        aria-label={chat.translate('attach')}
        onClick={() => chooser.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={chat.translate('message')}
        placeholder={chat.translate('messageHint')}
        value={text.value}
        onInput={(event) => {
          write(event.currentTarget.value)
          chat.typing.typed()
        }}
        onBlur={() => chat.typing.stopped()}
        onPaste={(event) => {
          const files = event.clipboardData?.files
          if (!files?.length) return
          event.preventDefault()
          more.value?.uploadFiles(chat, files)
        }}
        onKeyDown={(event) => {
          // Enter also ends the composition of a word in an input method.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
        }}
      />
      <button
        type="submit"
        class="icon send"
        aria-label={chat.translate('send')}
        disabled={!canSend(length)}
      >
        <Icon name="send" />
      </button>
    </form>
  )
}

function lengthOf(text: string): number {
  return [...text.trim()].length
}

function canSend(length: number): boolean {
  return length > 0 && length <= LENGTH_MAX
}

function accepted(type: string): string {
  return type.includes('/') || type.startsWith('.') ? type : `.${type}`
}
