import type { Ref } from 'preact'
import type { Chat } from '../state/chat'

export function Launcher({ chat, button }: { chat: Chat; button: Ref<HTMLButtonElement> }) {
  const count = chat.unread.value
  const isOne = new Intl.PluralRules(chat.language.value).select(count) === 'one'
  const word = count === 0 ? 'openChat' : isOne ? 'openChatOne' : 'openChatOther'
  return (
    <button
      ref={button}
      type="button"
      class="launcher"
      aria-label={chat.translate(word, { count })}
      onClick={() => chat.open(true)}
    >
      {count > 0 && <span class="count">{count > 99 ? '99+' : count}</span>}
    </button>
  )
}
