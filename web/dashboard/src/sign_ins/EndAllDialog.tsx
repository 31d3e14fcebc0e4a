import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Dialog } from '../ui/Dialog'

interface EndAllDialogProps {
  /** Name of the agent; undefined for the user's own other sign-ins. */
  name: string | undefined
  isOpen: boolean
  onClose: () => void
  onEnd: () => void
}

export function EndAllDialog({ name, isOpen, onClose, onEnd }: EndAllDialogProps) {
  const words = useTranslations('signIns')
  const office = useTranslations('office')
  const title = name === undefined ? words('endOthersTitle') : words('endAllTitle', { name })
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Stack gap="md">
        <Text size="sm">{words('endHelp')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {office('cancel')}
          </Button>
          <Button onClick={onEnd}>{words('endDo')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
