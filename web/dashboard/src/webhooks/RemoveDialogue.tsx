import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Endpoint } from '../app/shapes'
import { Dialogue } from '../ui/Dialogue'
import { useDone } from '../ui/useDone'
import { useEndpointDeed } from './useEndpoints'

interface RemoveDialogueProps {
  name: string
  endpoint: Endpoint
  onClose: () => void
}

export default function RemoveDialogue({ name, endpoint, onClose }: RemoveDialogueProps) {
  const words = useTranslations('webhooks')
  const showDone = useDone()
  const deed = useEndpointDeed()
  function remove() {
    deed.mutate(
      { of: endpoint, deed: 'remove' },
      {
        onSuccess() {
          onClose()
          showDone(words('removed'))
        },
      },
    )
  }
  return (
    <Dialogue isOpen onClose={onClose} title={words('removeTitle', { name })}>
      <Stack>
        <Text>{words('removeHelp')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words('cancel')}
          </Button>
          <Button color="red.9" loading={deed.isPending} onClick={remove}>
            {words('remove')}
          </Button>
        </Group>
      </Stack>
    </Dialogue>
  )
}
