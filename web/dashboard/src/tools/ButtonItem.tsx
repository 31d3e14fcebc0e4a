import { Badge, Button, Code, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { CustomButton } from '../app/shapes'
import { ConfirmDialog } from '../channels/ConfirmDialog'
import { useIsOffline } from '../live/useIsOffline'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { TestResult } from '../webhooks/TestResult'
import { useTestEndpoint } from '../webhooks/useEndpoints'
import classes from './Tools.module.css'
import { BUTTONS, useToolMutation } from './useTools'

interface ButtonItemProps {
  button: CustomButton
  mayWrite: boolean
  onChange: () => void
}

/** A custom button: label, URL, and a test of its webhook. */
export function ButtonItem({ button, mayWrite, onChange }: ButtonItemProps) {
  const words = useTranslations('tools')
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const [isAsking, setAsking] = useState(false)
  // A button and its endpoint have the same id. The test sends an example customer.
  const test = useTestEndpoint(String(button.id))
  const mutation = useToolMutation(BUTTONS)
  const { id, label: name, webhook_url, is_active } = button
  const remove = () =>
    mutation.mutate(
      { method: 'DELETE', id },
      {
        onSuccess() {
          setAsking(false)
          showDone(words('deleted', { name }))
        },
      },
    )
  return (
    <li className={classes.item}>
      <div className={classes.grow}>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {!is_active && <Badge variant="outline">{words('buttons.off')}</Badge>}
        </Group>
        <Code className={classes.url ?? ''}>{webhook_url}</Code>
      </div>
      {mayWrite && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={test.isPending}
            disabled={isOffline}
            aria-label={words('buttons.testOf', { name })}
            onClick={() => test.mutate()}
          >
            {words('buttons.test')}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isOffline}
            aria-label={words('changeOf', { name })}
            onClick={onChange}
          >
            {words('change')}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isOffline}
            aria-label={words('deleteOf', { name })}
            onClick={() => setAsking(true)}
          >
            {words('delete')}
          </Button>
        </Group>
      )}
      {test.data && (
        <div className={classes.whole}>
          <TestResult attempt={test.data.data.attempt} url={webhook_url} onClose={test.reset} />
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words('deleteTitle', { name })}
        help={words('buttons.deleteHelp')}
        yes={words('delete')}
        isPending={mutation.isPending}
        onYes={remove}
      />
    </li>
  )
}
