import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import {
  IconArrowsExchange,
  IconDoorExit,
  IconDots,
  IconInbox,
  IconRobot,
  IconRobotOff,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '../../app/lazyPart'
import type { CustomButton, Me, Row } from '../../app/shapes'
import type { View } from '../../inbox/views'
import { useAction } from '../../keys/KeysProvider'
import classes from '../Conversation.module.css'
import { isMine, mayAssign } from '../lock'
import { useConversationActions } from '../useConversationActions'
import { useCustomButtons } from './usePresses'

const AssignDialog = lazyPart(() => import('./AssignDialog'))
const ResolveDialog = lazyPart(() => import('./ResolveDialog'))

interface ActionsProps {
  me: Me
  row: Row
  view: View
  press: (button: CustomButton) => void
}

type Open = 'assign' | 'transfer' | 'resolve' | 'resolveAndNext'

/** The buttons for the possible actions on a conversation. Rare actions are in the menu. */
export function Actions({ me, row, view, press }: ActionsProps) {
  const words = useTranslations('deeds')
  const [open, setOpen] = useState<Open | null>(null)
  const actions = useConversationActions(me, row)
  const isOurs = isMine(me, row)
  const mayAct = (isOurs || mayAssign(me)) && !row.is_resolved
  const close = () => setOpen(null)
  const isServed = row.agents.length > 0
  const mayBot = mayAct && (me.app.has_bot || row.is_handled_by_bot)
  useAction('assign', mayAct ? () => setOpen('assign') : null)
  useAction('transfer', mayAct && isServed ? () => setOpen('transfer') : null)
  useAction('resolve', mayAct ? () => setOpen('resolve') : null)
  useAction('resolveAndNext', mayAct ? () => setOpen('resolveAndNext') : null)
  useAction('leave', isOurs ? () => actions.mutate({ do: 'leave' }) : null)
  useAction(
    'bot',
    mayBot ? () => actions.mutate({ do: 'bot', isOn: !row.is_handled_by_bot }) : null,
  )
  return (
    <Group className={classes.deeds ?? ''} gap="xs" justify="flex-end">
      {mayAct && (
        <Button variant="default" onClick={() => setOpen('assign')}>
          {words('assign')}
        </Button>
      )}
      {mayAct && (
        <Button variant="default" onClick={() => setOpen('resolve')}>
          {words('resolve')}
        </Button>
      )}
      <Menu
        position="bottom-end"
        shadow="md"
        withinPortal={false}
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <ActionIcon size="lg" variant="default" aria-label={words('more')} title={words('more')}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MoreItems
            me={me}
            row={row}
            mayAct={mayAct}
            mayBot={mayBot}
            transfer={() => setOpen('transfer')}
            act={actions.mutate}
          />
          <ButtonItems press={press} />
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        <AssignDialog
          me={me}
          row={row}
          kind={open === 'transfer' ? 'transfer' : 'assign'}
          isOpen={open === 'assign' || open === 'transfer'}
          onClose={close}
        />
        <ResolveDialog
          me={me}
          row={row}
          view={view}
          isOpen={open === 'resolve' || open === 'resolveAndNext'}
          goesOn={open === 'resolveAndNext'}
          onClose={close}
        />
      </Suspense>
    </Group>
  )
}

interface MoreItemsProps {
  me: Me
  row: Row
  mayAct: boolean
  mayBot: boolean
  transfer: () => void
  act: ReturnType<typeof useConversationActions>['mutate']
}

function MoreItems({ me, row, mayAct, mayBot, transfer, act }: MoreItemsProps) {
  const words = useTranslations('deeds')
  if (row.is_resolved) {
    return <Menu.Item onClick={() => act({ do: 'reopen' })}>{words('reopen')}</Menu.Item>
  }
  const isServed = row.agents.length > 0
  const isOn = row.is_handled_by_bot
  const BotIcon = isOn ? IconRobotOff : IconRobot
  return (
    <>
      {mayAct && isServed && (
        <Menu.Item leftSection={<IconArrowsExchange size={16} aria-hidden />} onClick={transfer}>
          {words('transfer')}
        </Menu.Item>
      )}
      {mayAct && isServed && (
        <Menu.Item
          leftSection={<IconInbox size={16} aria-hidden />}
          onClick={() => act({ do: 'transfer', agent: null })}
        >
          {words('toQueue')}
        </Menu.Item>
      )}
      {isMine(me, row) && (
        <Menu.Item
          leftSection={<IconDoorExit size={16} aria-hidden />}
          onClick={() => act({ do: 'leave' })}
        >
          {words('leave')}
        </Menu.Item>
      )}
      {mayBot && (
        <Menu.Item
          leftSection={<BotIcon size={16} aria-hidden />}
          onClick={() => act({ do: 'bot', isOn: !isOn })}
        >
          {words(isOn ? 'botOff' : 'botOn')}
        </Menu.Item>
      )}
    </>
  )
}

/** The menu items for the app's custom buttons. */
function ButtonItems({ press }: { press: (button: CustomButton) => void }) {
  const words = useTranslations('deeds')
  const buttons = useCustomButtons()
  if (buttons.length === 0) return null
  return (
    <>
      <Menu.Label>{words('ownButtons')}</Menu.Label>
      {buttons.map((button) => (
        <Menu.Item key={button.id} onClick={() => press(button)}>
          {button.label}
        </Menu.Item>
      ))}
    </>
  )
}
