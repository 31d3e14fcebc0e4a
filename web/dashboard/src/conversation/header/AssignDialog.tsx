import { Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call, withQuery } from '../../../../shared/call'
import type { Agent, Me, Page, Row } from '../../app/shapes'
import { Dialog } from '../../ui/Dialog'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { Spinner } from '../../ui/feedback/Loading'
import classes from '../Conversation.module.css'
import { mayAssign } from '../lock'
import { useConversationActions } from '../useConversationActions'
import { Colleague, isAvailable } from './Colleague'

interface AssignDialogProps {
  me: Me
  row: Row
  /** Whether the colleague joins the assigned agents (`assign`) or replaces them (`transfer`). */
  kind: 'assign' | 'transfer'
  isOpen: boolean
  onClose: () => void
}

/** The dialog for choosing a colleague, with their availability and number of conversations. */
export default function AssignDialog({ me, row, kind, isOpen, onClose }: AssignDialogProps) {
  const words = useTranslations('deeds')
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={words(`${kind}Title`, { name: row.name })}>
      <Colleagues me={me} row={row} kind={kind} onClose={onClose} />
    </Dialog>
  )
}

function Colleagues({ me, row, kind, onClose }: Omit<AssignDialogProps, 'isOpen'>) {
  const words = useTranslations('deeds')
  const [text, setText] = useState('')
  const { data, error, refetch } = useColleagues(me, row.room_id)
  const actions = useConversationActions(me, row)
  if (error) return <ErrorState error={error} onRetry={refetch} />
  const serving = new Set(row.agents.map((agent) => agent.id))
  const free = (data ?? []).filter((agent) => !serving.has(agent.id))
  const found = free.filter((agent) => matches(agent, text))
  const choose = (agent: Agent) =>
    actions.mutate({ do: kind, agent: agent.id }, { onSuccess: onClose })
  return (
    <Stack gap="sm">
      <Text size="sm">{words(`${kind}Help`)}</Text>
      <TextInput
        type="search"
        label={words('findColleague')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {data === undefined && <Spinner label={words('findColleague')} />}
      {data && found.length === 0 && (
        <Text className="muted">{words(text ? 'noSuchColleague' : 'nobodyThere')}</Text>
      )}
      <ul className={classes.colleagues} aria-label={words('colleagues')}>
        {found.map((agent) => (
          <li key={agent.id}>
            <Colleague agent={agent} isBusy={actions.isPending} onChoose={() => choose(agent)} />
          </li>
        ))}
      </ul>
    </Stack>
  )
}

const PEOPLE_MAX = 100

/** Loads the agents who are not assigned to the room, available ones first. The result is not
 * cached, because it changes by the minute. */
function useColleagues(me: Me, room_id: string) {
  const side = mayAssign(me) ? 'admin' : 'agent'
  const path = withQuery(`/api/v2/${side}/service/other_agents`, { room_id, limit: PEOPLE_MAX })
  return useQuery({
    queryKey: ['colleagues', room_id],
    gcTime: 0,
    queryFn: async () => {
      const { agents } = (await call<Page<{ agents: Agent[] }>>('GET', path)).data
      return agents.sort((a, b) => rank(a) - rank(b))
    },
  })
}

/** Returns an agent's sort key: available agents first, then those with fewer conversations. */
function rank(agent: Agent): number {
  return (isAvailable(agent) ? 0 : 1000) + agent.current_customer_count
}

function matches(agent: Agent, text: string): boolean {
  const asked = text.trim().toLocaleLowerCase()
  return `${agent.name} ${agent.email}`.toLocaleLowerCase().includes(asked)
}
