import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Endpoint } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useEndpointAction } from './useEndpoints'

interface RemoveDialogProps {
  name: string
  endpoint: Endpoint
  onClose: () => void
}

export default function RemoveDialog({ name, endpoint, onClose }: RemoveDialogProps) {
  const words = useTranslations('webhooks')
  const showDone = useSuccessNotice()
  const mutation = useEndpointAction()
  function remove() {
    mutation.mutate(
      { of: endpoint, action: 'remove' },
      {
        onSuccess() {
          onClose()
          showDone(words('removed'))
        },
      },
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('removeTitle', { name })}>
      <Stack>
        <Text>{words('removeHelp')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words('cancel')}
          </Button>
          <Button color="red.9" loading={mutation.isPending} onClick={remove}>
            {words('remove')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
