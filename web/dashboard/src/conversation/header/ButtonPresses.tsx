import { CloseButton, Group, Loader, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import classes from '../Conversation.module.css'
import type { ButtonPress } from './usePresses'

interface ButtonPressesProps {
  presses: ButtonPress[]
  dismiss: (key: number) => void
}

/** The states of the custom buttons that the agent pressed. */
export function ButtonPresses({ presses, dismiss }: ButtonPressesProps) {
  const words = useTranslations('deeds')
  return (
    <div className={classes.presses} role="status">
      {presses.map((press) => (
        <Group key={press.key} gap="xs" wrap="nowrap">
          <Sign state={press.state} />
          <Text size="sm" className={classes.press}>
            {words(`press.${press.state}`, { label: press.label, reason: press.reason ?? '' })}
          </Text>
          <CloseButton
            size="sm"
            aria-label={words('dismiss', { label: press.label })}
            onClick={() => dismiss(press.key)}
          />
        </Group>
      ))}
    </div>
  )
}

function Sign({ state }: { state: ButtonPress['state'] }) {
  if (state === 'pending') return <Loader size={14} aria-hidden />
  const Icon = state === 'done' ? IconCheck : IconAlertTriangle
  return <Icon size={16} aria-hidden />
}
