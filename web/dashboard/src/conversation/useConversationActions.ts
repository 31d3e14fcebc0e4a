import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import type { Me, Row } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { mayAssign } from './lock'

/** An action on a conversation, with its parameters. */
export type ConversationAction =
  | { do: 'take' }
  | { do: 'assign'; agent: number }
  | { do: 'transfer'; agent: number | null }
  | { do: 'leave' }
  | { do: 'reopen' }
  | { do: 'bot'; isOn: boolean }
  | { do: 'resolve'; notes: string }

/** Returns a mutation that runs an action on a conversation and then reloads the affected
 * queries. */
export function useConversationActions(me: Me, row: Row) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (action: ConversationAction) => send(me, row.room_id, action),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
}

function send(me: Me, room_id: string, action: ConversationAction): Promise<unknown> {
  const room = `/api/v2/customer_rooms/${room_id}`
  const side = mayAssign(me) ? 'admin' : 'agent'
  switch (action.do) {
    case 'take':
      return mayAssign(me)
        ? assign('admin', room_id, me.user.id)
        : call('POST', '/api/v2/agent/service/takeover_unserved', { room_id })
    case 'assign':
      return assign(side, room_id, action.agent)
    case 'transfer':
      return call('POST', `${room}/transfer`, { agent_id: action.agent })
    case 'leave':
    case 'reopen':
      return call('POST', `${room}/${action.do}`)
    case 'bot':
      return call('POST', `${room}/bot`, { is_on: action.isOn })
    case 'resolve':
      return call('POST', `/api/v1/${side}/service/mark_as_resolved`, {
        room_id,
        notes: action.notes,
      })
  }
}

function assign(side: 'admin' | 'agent', room_id: string, agent_id: number): Promise<unknown> {
  return call('POST', `/api/v1/${side}/service/assign_agent`, { room_id, agent_id })
}
