import { signal } from '@preact/signals'
import { adopt } from '../adopt_styles'
import type * as More from '../more/more'
import type { Chat } from '../state/chat'

/** Parts that the panel does not need at first: rich messages, files, the form. Undefined until
 * loaded. */
export const more = signal<typeof More | undefined>(undefined)

const COME_AGAIN_MS = 5000

/** Loads `more` right after the panel rather than on demand, because an upgrade of the server may
 * remove the file. Retries until it succeeds. */
export function loadMore(chat: Chat, root: ShadowRoot): void {
  import('../more/more').then(
    (found) => {
      adopt(root, found.css)
      chat.onUnseen = (id, isSeen) => found.ring(chat.store, id, isSeen)
      more.value = found
    },
    () => setTimeout(() => loadMore(chat, root), COME_AGAIN_MS),
  )
}
