import { signal } from '@preact/signals'
import { adopt } from '../place_style'
import type { Chat } from '../state/chat'

/** What the first look at the panel does without: rich messages, files, questions. */
export const more = signal<typeof import('../more/more') | undefined>(undefined)

const COME_AGAIN_MS = 5000

/** Loads it right after the panel, not when it is needed: an upgrade of the server may come between. */
export function loadMore(chat: Chat, root: ShadowRoot): void {
  import('../more/more').then(
    (found) => {
      adopt(root, found.css)
      chat.onUnseen = (id, isSeen) => found.ring(chat.keeper, id, isSeen)
      more.value = found
    },
    () => setTimeout(() => loadMore(chat, root), COME_AGAIN_MS),
  )
}
