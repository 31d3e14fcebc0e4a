import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { call, withQuery } from '../../../shared/call'
import type { Me, RoomPage } from '../app/shapes'
import { requestComposerFocus } from '../conversation/composer/composer_focus'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { filtersOf } from './filters'
import { queryOf } from './views'

/** Takes the customer who has waited longest, and opens the conversation. */
export function useTakeNext(me: Me) {
  const words = useTranslations('inbox')
  const queries = useQueryClient()
  const [, go] = useLocation()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const query = { ...queryOf('unassigned', me, filtersOf('?sort=waiting')), limit: 1 }
      const { data } = await call<RoomPage>('GET', withQuery('/api/v2/customer_rooms', query))
      const room_id = data.customer_rooms[0]?.room_id
      if (room_id === undefined) return null
      if (me.may.includes('conversations.assign')) {
        const given = { room_id, agent_id: me.user.id }
        await call('POST', '/api/v1/admin/service/assign_agent', given)
      } else await call('POST', '/api/v2/agent/service/takeover_unserved', { room_id })
      return room_id
    },
    onError: useErrorNotice(),
    onSuccess: (room) => {
      if (room === null) notifications.show({ message: words('empty.unassigned') })
      else {
        requestComposerFocus(room)
        go(`/inbox/mine/${room}`)
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return { take: () => mutate(), isPending }
}
