import { Button, CloseButton, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { mayAssign } from '../conversation/lock'
import type { Filters } from '../inbox/filters'
import { NONE_PICKED, type PickedRooms } from '../inbox/rows/picking'
import type { View } from '../inbox/views'
import { useIsOffline } from '../live/useIsOffline'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { AssignMany } from './AssignMany'
import classes from './Bulk.module.css'
import {
  type BulkAction,
  loadAllRooms,
  type Outcome,
  PICKED_MAX,
  runBulkAction,
} from './bulk_actions'
import { OutcomeDialog } from './OutcomeDialog'
import { ResolveMany } from './ResolveMany'

interface BulkBarProps {
  me: Me
  view: View
  filters: Filters
  picked: PickedRooms
  onPick: (picked: PickedRooms) => void
  onDone: (rooms: string[]) => void
}

/** The actions on all picked conversations. The bar is below the list, so that no row moves under
 * the pointer. */
export default function BulkBar(props: BulkBarProps) {
  return (
    <AdminWords fallback={null}>
      <Bar {...props} />
    </AdminWords>
  )
}

function Bar({ me, view, filters, picked, onPick, onDone }: BulkBarProps) {
  const words = useTranslations('bulk')
  const isOffline = useIsOffline()
  const showDone = useSuccessNotice()
  const queries = useQueryClient()
  const bar = useRef<HTMLElement>(null)
  const [asked, setAsked] = useState<'assign' | 'resolve' | null>(null)
  const [doneSoFar, setDoneSoFar] = useState(0)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const count = picked.size
  const act = useMutation({
    mutationFn: ({ action, rooms }: { action: BulkAction; rooms: PickedRooms }) => {
      setDoneSoFar(0)
      return runBulkAction(action, rooms, setDoneSoFar)
    },
    onSuccess(outcome) {
      setAsked(null)
      setOutcome(outcome)
      onDone(outcome.rows.flatMap(({ room, why }) => (why === null ? [room] : [])))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const pickAll = useMutation({
    mutationFn: () => loadAllRooms(view, me, filters),
    onError: useErrorNotice(),
    onSuccess(all) {
      onPick(all)
      if (all.size === PICKED_MAX) showDone(words('onlyFirst', { count: PICKED_MAX }))
    },
  })
  /** Changes the picked rows. If the bar closes, the focus returns to the list. */
  function leaveWith(rest: PickedRooms) {
    const list = bar.current?.parentElement?.closest<HTMLElement>('[data-region]')
    onPick(rest)
    if (rest.size === 0) requestAnimationFrame(() => list?.focus())
  }
  const doWith = (action: BulkAction) => act.mutate({ action, rooms: picked })
  const progress = act.isPending ? words('progress', { done: doneSoFar, count }) : null
  const actions = view === 'resolved' ? (['reopen'] as const) : (['assign', 'resolve'] as const)
  return (
    <section
      ref={bar}
      className={classes.bar}
      aria-label={words('title')}
      data-region
      tabIndex={-1}
    >
      <Group justify="space-between" wrap="nowrap">
        <Text role="status" size="sm" fw={600}>
          {words('count', { count })}
        </Text>
        <CloseButton aria-label={words('clear')} onClick={() => leaveWith(NONE_PICKED)} />
      </Group>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={pickAll.isPending}
          disabled={isOffline}
          onClick={() => pickAll.mutate()}
        >
          {words('all')}
        </Button>
        {actions.map(
          (it) =>
            (it !== 'assign' || mayAssign(me)) && (
              <Button
                key={it}
                size="xs"
                loading={act.isPending}
                disabled={isOffline}
                aria-label={words(`${it}Picked`, { count })}
                onClick={() => (it === 'reopen' ? doWith({ is: 'reopen' }) : setAsked(it))}
              >
                {words(it)}
              </Button>
            ),
        )}
      </Group>
      {asked === 'assign' && (
        <AssignMany
          count={count}
          progress={progress}
          onAssign={(agent) => doWith({ is: 'assign', agent })}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'resolve' && (
        <ResolveMany
          count={count}
          progress={progress}
          onResolve={(notes) => doWith({ is: 'resolve', notes })}
          onClose={() => setAsked(null)}
        />
      )}
      {outcome && (
        <OutcomeDialog
          outcome={outcome}
          progress={progress}
          onUndo={(rooms) => act.mutate({ action: { is: 'reopen' }, rooms })}
          onClose={() => {
            setOutcome(null)
            leaveWith(
              new Map(outcome.rows.flatMap((row) => (row.why ? [[row.room, row.name]] : []))),
            )
          }}
        />
      )}
    </section>
  )
}
