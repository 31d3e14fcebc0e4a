import { record } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'

/** Whether the customer posted the message. The server sets this field; users cannot set it. */
export function isFromCustomer(comment: Comment): boolean {
  return record(comment.user_extras).is_customer === true
}
