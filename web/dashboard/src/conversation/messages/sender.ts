import { record } from '../../../../shared/payload'
import type { Comment } from '../../app/shapes'

/** Whether the customer said it. The server says who is a customer; nobody can write that. */
export function isCustomers(comment: Comment): boolean {
  return record(comment.user_extras).is_customer === true
}
