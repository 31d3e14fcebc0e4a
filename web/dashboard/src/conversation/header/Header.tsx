import { ActionIcon, Title } from '@mantine/core'
import { IconArrowLeft, IconLayoutSidebarRight } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Me, Row } from '../../app/shapes'
import type { View } from '../../inbox/views'
import classes from '../Conversation.module.css'
import { Actions } from './Actions'
import { ButtonPresses } from './ButtonPresses'
import { StatusLine } from './StatusLine'
import { usePresses } from './usePresses'
import { Viewers } from './Viewers'

interface HeaderProps {
  me: Me
  row: Row | undefined
  room: string
  view: View
  isGone: boolean
  isPanelOpen: boolean
  togglePanel: () => void
}

/** The conversation's header: the customer, the assigned agents and the possible actions. */
export function Header({ me, row, room, view, isGone, isPanelOpen, togglePanel }: HeaderProps) {
  const words = useTranslations('conversation')
  const deeds = useTranslations('deeds')
  const presses = usePresses(room)
  return (
    <header className={classes.header}>
      <Link to={`/inbox/${view}`} className={classes.back ?? ''} aria-label={words('back')}>
        <IconArrowLeft aria-hidden />
      </Link>
      <div className={classes.who}>
        <Title order={2} size="h4" lineClamp={1}>
          {row?.name ?? '…'}
        </Title>
      </div>
      <Viewers me={me} room={room} />
      {row && !isGone && <Actions me={me} row={row} view={view} press={presses.press} />}
      <ActionIcon
        className={classes.panelButton ?? ''}
        size="lg"
        variant="default"
        aria-label={deeds('panel')}
        title={deeds('panel')}
        aria-expanded={isPanelOpen}
        onClick={togglePanel}
      >
        <IconLayoutSidebarRight size={18} aria-hidden />
      </ActionIcon>
      {row && <StatusLine row={row} />}
      <ButtonPresses presses={presses.presses} dismiss={presses.dismiss} />
    </header>
  )
}
