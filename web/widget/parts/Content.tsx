import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import { more } from './more'
import { Words } from './Words'

/** The content of a message. Types other than text are rendered by a part that is loaded after the
 * panel. */
export function Content({ chat, comment }: { chat: Chat; comment: Comment }) {
  const { message, type } = comment
  if (type === 'text') return <Words>{message}</Words>
  const Rich = more.value?.Rich
  return Rich ? <Rich chat={chat} comment={comment} /> : <p>{chat.translate('loading')}</p>
}
