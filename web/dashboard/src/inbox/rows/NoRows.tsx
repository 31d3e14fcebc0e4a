import { Button } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Me } from '../../app/shapes'
import { isApple, useAction, useKeys } from '../../keys/KeysProvider'
import { formatChord } from '../../keys/keys'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { useTakeNext } from '../useTakeNext'
import type { View } from '../views'

/** The message of an empty list, with a link or button for the next step. */
export function NoRows({ me, view, isNarrow }: { me: Me; view: View; isNarrow: boolean }) {
  const words = useTranslations('inbox')
  if (isNarrow) {
    return (
      <EmptyState title={words('nothingFound')}>
        <Link to={`/inbox/${view}`}>{words('clear')}</Link>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={words(`empty.${view}`)}>
      {view === 'mine' && mayTake(me) && <TakeNext me={me} />}
    </EmptyState>
  )
}

function TakeNext({ me }: { me: Me }) {
  const words = useTranslations('inbox')
  const { keys } = useKeys()
  const { take, isPending } = useTakeNext(me)
  useAction('take', take)
  return (
    <Button onClick={take} loading={isPending}>
      {keys.take
        ? words('takeNextBy', { key: formatChord(keys.take, isApple) })
        : words('takeNext')}
    </Button>
  )
}

function mayTake({ may, app }: Me): boolean {
  return may.includes('conversations.assign') || app.is_agent_takeover_enabled
}
