import { Button, Group, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import { call } from '../../../shared/call'
import type { Data, Me, Row } from '../app/shapes'
import type { View } from '../inbox/views'
import { ErrorState } from '../ui/ErrorState'
import { useFailure } from '../ui/useFailure'
import { Composer } from './Composer'
import classes from './Conversation.module.css'
import { MessageList } from './MessageList'
import { ResolveDialogue } from './ResolveDialogue'
import { useThread } from './useThread'

interface ConversationProps {
  me: Me
  room: string
  view: View
}

/** One customer: what was said, and what can be done. */
export function Conversation({ me, room, view }: ConversationProps) {
  const words = useTranslations('conversation')
  const row = useQuery({
    queryKey: ['live', 'room', room],
    queryFn: () =>
      call<Data<{ customer_room: Row }>>('GET', `/api/v2/customer_rooms/${room}`).then(
        (answer) => answer.data.customer_room,
      ),
  })
  const thread = useThread(room)
  if (row.error) return <ErrorState error={row.error} onRetry={row.refetch} />
  return (
    <section className={classes.conversation} aria-label={row.data?.name ?? words('title')}>
      <header className={classes.header}>
        <Link to={`/inbox/${view}`} className={classes.back ?? ''} aria-label={words('back')}>
          <IconArrowLeft aria-hidden />
        </Link>
        <div className={classes.who}>
          <Title order={2} size="h4" lineClamp={1}>
            {row.data?.name ?? '…'}
          </Title>
          {row.data && <Standing row={row.data} />}
        </div>
        {row.data && <Deeds me={me} row={row.data} />}
      </header>
      <MessageList me={me} {...thread} />
      {row.data && <Composer me={me} row={row.data} />}
    </section>
  )
}

function Standing({ row }: { row: Row }) {
  const words = useTranslations('conversation')
  const names = row.agents.map((agent) => agent.name).join(', ')
  const who = row.is_resolved
    ? words('resolved')
    : names
      ? words('servedBy', { names })
      : words(row.is_handled_by_bot ? 'withBot' : 'nobody')
  return (
    <Text size="sm" className="muted" lineClamp={1}>
      {row.source} · {who}
    </Text>
  )
}

/** What can be done with a conversation now. */
function Deeds({ me, row }: { me: Me; row: Row }) {
  const words = useTranslations('conversation')
  const queries = useQueryClient()
  const [isResolving, setResolving] = useState(false)
  const isMine = row.agents.some((agent) => agent.id === me.user.id)
  const take = useMutation({
    mutationFn: () =>
      me.may.includes('conversations.assign')
        ? call('POST', '/api/v1/admin/service/assign_agent', {
            room_id: row.room_id,
            agent_id: me.user.id,
          })
        : call('POST', '/api/v2/agent/service/takeover_unserved', { room_id: row.room_id }),
    onError: useFailure(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <Group gap="xs" wrap="nowrap">
      {!isMine && !row.is_resolved && (
        <Button onClick={() => take.mutate()} loading={take.isPending}>
          {words('take')}
        </Button>
      )}
      {!row.is_resolved && (isMine || me.may.includes('conversations.assign')) && (
        <Button variant="default" onClick={() => setResolving(true)}>
          {words('resolve')}
        </Button>
      )}
      <ResolveDialogue me={me} row={row} isOpen={isResolving} onClose={() => setResolving(false)} />
    </Group>
  )
}
