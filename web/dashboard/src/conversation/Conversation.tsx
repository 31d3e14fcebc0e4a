import { useMediaQuery } from '@mantine/hooks'
import { Suspense, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSearch } from 'wouter'
import { CallError } from '../../../shared/call'
import { lazyPart } from '../app/lazyPart'
import type { Comment, Me, Row } from '../app/shapes'
import type { View } from '../inbox/views'
import { useAction } from '../keys/KeysProvider'
import { restoreFocus } from '../keys/regions'
import { useRow } from '../live/useRow'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Spinner } from '../ui/feedback/Loading'
import classes from './Conversation.module.css'
import { Composer } from './composer/Composer'
import { Header } from './header/Header'
import { lockOf } from './lock'
import { MessageList } from './messages/MessageList'
import { useThread } from './messages/thread/useThread'
import { useIsChannelOff } from './useIsChannelOff'

const ContextPanel = lazyPart(() => import('../context/ContextPanel'))
const ContextDrawer = lazyPart(() => import('./ContextDrawer'))

/** Minimum page width at which the context panel is a column instead of a drawer. */
const WIDE = '(min-width: 1200px)'

interface ConversationProps {
  me: Me
  room: string
  view: View
}

/** The screen of one conversation: header, messages, composer and context panel. */
export function Conversation({ me, room, view }: ConversationProps) {
  const words = useTranslations('conversation')
  const { data: row, error, refetch } = useRow(room)
  const linkedId = messageIdIn(useSearch())
  const thread = useThread(room, linkedId)
  const [quoted, quote] = useState<Comment | null>(null)
  const panel = usePanel()
  const [tagRequests, setTagRequests] = useState(0)
  const isGone = error instanceof CallError && !error.isPassing
  const isOff = useIsChannelOff(row)
  useAction(
    'tag',
    row
      ? () => {
          panel.open()
          setTagRequests((count) => count + 1)
        }
      : null,
  )
  const lock = row && lockOf(me, row, isGone, isOff)
  // The focused element may have been removed: a row of the previous list, the composer, or the
  // button that took the conversation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever other parts are shown
  useEffect(() => restoreFocus(), [room, lock, panel.isOpen])
  if (error && !row) return <ErrorState error={error} onRetry={refetch} />
  const mayWrite = lock === null
  return (
    <div className={classes.place} data-has-panel={panel.isBeside}>
      <section className={classes.conversation} aria-label={row?.name ?? words('title')}>
        <Header
          me={me}
          row={row}
          room={room}
          view={view}
          isGone={isGone}
          isPanelOpen={panel.isOpen}
          togglePanel={panel.toggle}
        />
        <MessageList
          me={me}
          room={room}
          row={row}
          thread={thread}
          linkedId={linkedId}
          quote={mayWrite ? quote : null}
        />
        {row && (
          <Composer
            me={me}
            row={row}
            view={view}
            isGone={isGone}
            isOff={isOff}
            entries={thread.entries}
            quoted={quoted}
            quote={quote}
          />
        )}
      </section>
      {row && panel.isBeside && <Context me={me} row={row} tagRequests={tagRequests} />}
      {row && !panel.isWide && (
        // The drawer has no Mantine header, because the page has a header already.
        <Suspense>
          <ContextDrawer isOpen={panel.isOpen} onClose={panel.toggle} name={row.name}>
            <Context me={me} row={row} tagRequests={tagRequests} />
          </ContextDrawer>
        </Suspense>
      )}
    </div>
  )
}

function Context(props: { me: Me; row: Row; tagRequests: number }) {
  const words = useTranslations('conversation')
  return (
    <Suspense fallback={<Spinner label={words('title')} />}>
      <ContextPanel {...props} />
    </Suspense>
  )
}

const PANEL_KEY = 'confab-panel'

/** Tracks whether the context panel is open. As a column, its last toggle is stored on this device;
 * as a drawer, it starts closed. */
function usePanel() {
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const [isColumnOpen, setColumnOpen] = useState(() => localStorage.getItem(PANEL_KEY) !== 'closed')
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  return {
    isWide,
    isBeside: isWide && isColumnOpen,
    isOpen: isWide ? isColumnOpen : isDrawerOpen,
    open() {
      if (isWide) setColumnOpen(true)
      else setDrawerOpen(true)
    },
    toggle() {
      if (!isWide) return setDrawerOpen(!isDrawerOpen)
      localStorage.setItem(PANEL_KEY, isColumnOpen ? 'closed' : 'open')
      setColumnOpen(!isColumnOpen)
    },
  }
}

/** Returns the message id in a link's query, if it is valid. */
function messageIdIn(search: string): string | null {
  const id = new URLSearchParams(search).get('m') ?? ''
  return /^\d{1,20}$/.test(id) ? id : null
}
