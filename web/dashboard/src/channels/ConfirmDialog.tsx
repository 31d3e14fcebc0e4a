import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Dialog } from '../ui/Dialog'

interface ConfirmDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** The consequences of the action. */
  help: string
  yes: string
  isPending: boolean
  onYes: () => void
}

/** The confirmation dialog of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const words = useTranslations('channels')
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title}>
      <Stack>
        <Text size="sm">{props.help}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            {words('cancel')}
          </Button>
          <Button color="red.9" loading={props.isPending} onClick={props.onYes}>
            {props.yes}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
