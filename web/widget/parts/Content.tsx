import { record, text } from '../../shared/payload'
import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import { more } from './more'
import { Words } from './Words'

/** What a message says. Most are text; the rest is drawn by what is loaded after the panel. */
export function Content({ chat, comment }: { chat: Chat; comment: Comment }) {
  const { message, type } = comment
  if (type === 'text' || type === 'button_postback_response') return <Words>{message}</Words>
  if (type === 'reply') {
    const payload = record(comment.payload)
    return (
      <>
        <blockquote>
          <b>{text(payload.replied_comment_sender_username)}</b>
          <p dir="auto">{text(payload.replied_comment_message)}</p>
        </blockquote>
        <Words>{message || text(payload.text)}</Words>
      </>
    )
  }
  const Rich = more.value?.Rich
  return Rich ? <Rich chat={chat} comment={comment} /> : <p>{chat.say('loading')}</p>
}
