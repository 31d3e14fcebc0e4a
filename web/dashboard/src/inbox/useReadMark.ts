import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../../shared/call'
import type { Row } from '../app/shapes'
import { useAction } from '../keys/KeysProvider'
import { useLive } from '../live/LiveProvider'
import { patchRow } from '../live/rows'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'

/** Marks the open conversation as read up to its last message while the page is visible. Also
 * handles the action that marks it unread. */
export function useReadMark(row: Row | undefined): void {
  const queries = useQueryClient()
  const { send } = useLive()
  const showFailure = useErrorNotice()
  const marked = useRef<string | null>(null)
  const room = row?.room_id
  const comment = row?.last_comment_id ?? null
  useEffect(() => {
    if (room === undefined || comment === null) return
    const mark = () => {
      const now = `${room}/${comment}`
      if (document.visibilityState !== 'visible' || marked.current === now) return
      marked.current = now
      const isSent = send({ type: 'read', room_id: room, comment_id: comment })
      if (!isSent) {
        const path = `/api/v2/customer_rooms/${room}/read`
        call('POST', path, { comment_id: comment }).catch(() => {
          marked.current = null
        })
      }
      patchRow(queries, room, { is_seen: true })
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [room, comment, queries, send])
  const unread = useMutation({
    mutationFn: (room: string) => call('POST', `/api/v2/customer_rooms/${room}/unread`),
    onMutate: (room) => patchRow(queries, room, { is_seen: false }),
    onError: showFailure,
  })
  useAction('unread', room === undefined ? null : () => unread.mutate(room))
}
