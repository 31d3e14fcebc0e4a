import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Data, SignInEntry } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { ErrorState } from '../ui/feedback/ErrorState'
import { useIsLate } from '../ui/feedback/Loading'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { EndAllDialog } from './EndAllDialog'
import { inOrder } from './order'
import { SignInItem } from './SignInItem'
import classes from './SignIns.module.css'

interface SignInsProps {
  /** The agent; undefined for the user's own sign-ins. Must be used within `AdminWords`. */
  agent?: { id: number; name: string }
}

/** The sign-ins of an agent, with buttons that end one or all of them. The user's current sign-in
 * is kept. */
export function SignIns({ agent }: SignInsProps) {
  const words = useTranslations('signIns')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const isLate = useIsLate()
  const [isAsked, setAsked] = useState(false)
  const path = agent ? `/api/v2/admin/agent/${agent.id}/sign_ins` : '/api/v2/me/sign_ins'
  const key = ['sign_ins', agent?.id ?? 'me']
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: () =>
      call<Data<{ sign_ins: SignInEntry[] }>>('GET', path).then(({ data }) => data.sign_ins),
    refetchOnMount: 'always',
  })
  const end = useMutation({
    mutationFn: (id: string | null) =>
      call('DELETE', id === null ? path : `${path}/${encodeURIComponent(id)}`),
    onError: useErrorNotice(),
    onSuccess: (_, id) => showDone(words(id ? 'ended' : agent ? 'allEndedOf' : 'allEnded')),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  })
  if (!data) {
    if (error) return <ErrorState error={error} onRetry={refetch} />
    return isLate && <Text className="muted">{words('loading')}</Text>
  }
  const others = data.filter((it) => !it.is_current)
  return (
    <Stack gap="sm">
      {data.length === 0 && <Text className="muted">{words('none')}</Text>}
      <ul
        className={classes.list}
        aria-label={agent ? words('titleOf', { name: agent.name }) : words('title')}
      >
        {inOrder(data).map((it) => (
          <SignInItem
            key={it.id}
            signIn={it}
            isEnding={end.isPending && end.variables === it.id}
            isOffline={isOffline}
            onEnd={() => end.mutate(it.id)}
          />
        ))}
      </ul>
      {others.length > 0 && (
        <Group>
          <Button variant="default" disabled={isOffline} onClick={() => setAsked(true)}>
            {words(agent ? 'endAll' : 'endOthers')}
          </Button>
        </Group>
      )}
      <EndAllDialog
        name={agent?.name}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onEnd={() => {
          setAsked(false)
          end.mutate(null)
        }}
      />
    </Stack>
  )
}
