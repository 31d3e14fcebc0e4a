import { compareIds } from '../../../../../shared/thread'
import type { Comment, Me } from '../../../app/shapes'
import { isFromCustomer } from '../../messages/sender'
import type { ThreadEntry } from '../../messages/thread/useThread'

/** Returns the messages of other agents and the bot that follow a message. */
export function answersSince(
  me: Me,
  entries: readonly ThreadEntry[],
  since: string | null,
): Comment[] {
  if (since === null) return []
  return entries.flatMap(({ message }) =>
    message &&
    message.type !== 'system_event' &&
    !message.is_deleted &&
    message.email !== me.user.chat_user_id &&
    !isFromCustomer(message) &&
    compareIds(message.id_str, since) > 0
      ? [message]
      : [],
  )
}
