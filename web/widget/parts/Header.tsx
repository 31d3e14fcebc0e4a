import { useSignal } from '@preact/signals'
import type { Chat } from '../state/chat'
import { Icon } from './icons'
import { more } from './more'

export function Header({ chat, canClose }: { chat: Chat; canClose: boolean }) {
  const isMenuOpen = useSignal(false)
  const Menu = more.value?.Menu
  const Title = canClose ? 'h2' : 'h1'
  const isThere = chat.settings.value.is_anybody_there
  return (
    <div class="header">
      <div class="who">
        <Title class="title">{chat.appText('title')}</Title>
        <p class={isThere ? 'here' : 'away'}>{chat.translate(isThere ? 'here' : 'notHere')}</p>
      </div>
      <button
        type="button"
        class="icon"
        aria-label={chat.translate('menu')}
        aria-expanded={isMenuOpen.value}
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value
        }}
      >
        <Icon name="menu" />
      </button>
      {canClose && (
        <button
          type="button"
          class="icon"
          aria-label={chat.translate('closeChat')}
          onClick={() => chat.open(false)}
        >
          <Icon name="close" />
        </button>
      )}
      {isMenuOpen.value && Menu && <Menu chat={chat} />}
    </div>
  )
}
