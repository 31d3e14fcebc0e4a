import type { Comment } from '../../app/shapes'

/** Returns the path for editing and deleting a message. */
export function messagePath(comment: Comment): string {
  const id = encodeURIComponent(comment.unique_temp_id)
  return `/api/v2/customer_rooms/${comment.room_id_str}/messages/${id}`
}
