import { Button, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import type { Me, Row } from '../../app/shapes'
import type { View } from '../../inbox/views'
import { useAction } from '../../keys/KeysProvider'
import { restoreFocus } from '../../keys/regions'
import { type Lock, unlockActionOf } from '../lock'
import { useConversationActions } from '../useConversationActions'
import classes from './Composer.module.css'
import { cancelComposerFocus, requestComposerFocus } from './composer_focus'

interface LockedNoticeProps {
  me: Me
  row: Row
  view: View
  lock: Lock
}

/** The reason why the agent cannot reply, and a button for the action that allows it. */
export function LockedNotice({ me, row, view, lock }: LockedNoticeProps) {
  const words = useTranslations('composer')
  const [, goTo] = useLocation()
  const actions = useConversationActions(me, row)
  const out = unlockActionOf(me, lock)
  const reason = out === null && lock === 'colleague' ? 'other' : lock
  function act() {
    if (out === 'back') return goTo(`/inbox/${view}`)
    requestComposerFocus(row.room_id)
    actions.mutate({ do: out === 'reopen' ? 'reopen' : 'take' }, { onError: cancelComposerFocus })
  }
  // A disabled button loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the request starts and ends
  useEffect(() => restoreFocus(), [actions.isPending])
  useAction('take', out === null || out === 'back' || out === 'reopen' ? null : act)
  useAction('reopen', out === 'reopen' ? act : null)
  return (
    <div className={classes.locked} role="note">
      <Text>{words(`locked.${reason}`, { channel: row.channel_name || row.source })}</Text>
      {out && (
        <Button onClick={act} loading={actions.isPending}>
          {words(`out.${out}`)}
        </Button>
      )}
    </div>
  )
}
