import { useRef } from 'preact/hooks'
import { type Payload, record, text } from '../../shared/payload'
import { safeUrl } from '../../shared/text'
import { ExternalLink } from '../parts/Words'
import type { Chat } from '../state/chat'

/** Time after a click in which further clicks on the button are ignored. */
const ONE_PRESS_MS = 800

/** The buttons of a message. Links open; other buttons post their text and payload (wire facts
 * 3.3). */
export function Buttons({ chat, buttons }: { chat: Chat; buttons: Payload[] }) {
  const pressed = useRef<{ button?: Payload; at: number }>({ at: 0 })
  if (buttons.length === 0) return null

  function press(button: Payload) {
    const { button: before, at } = pressed.current
    if (before === button && Date.now() - at < ONE_PRESS_MS) return
    pressed.current = { button, at: Date.now() }
    chat.post({
      type: 'button_postback_response',
      comment: text(button.postback_text) || text(button.label),
      payload: record(button.payload),
    })
  }

  return (
    <div class="buttons">
      {buttons.map((button, at) => {
        const label = text(button.label)
        const url = button.type === 'link' ? safeUrl(record(button.payload).url) : null
        if (label === '' || (button.type === 'link' && url === null)) return null
        return url ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message never change
          <ExternalLink key={at} href={url} class="button">
            {label}
          </ExternalLink>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message never change
          <button key={at} type="button" class="button" onClick={() => press(button)}>
            {label}
          </button>
        )
      })}
    </div>
  )
}
