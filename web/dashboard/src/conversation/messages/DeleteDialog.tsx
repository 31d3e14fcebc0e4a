import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import type { Comment } from '../../app/shapes'
import { Dialog } from '../../ui/Dialog'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { messagePath } from './messagePath'
import { placeholderOf } from './thread/reading'
import { useSummary } from './useSummary'

interface DeleteDialogProps {
  comment: Comment
  put: (comment: Comment) => void
  onClose: () => void
}

/** The dialog that deletes a message for all participants. A placeholder remains in its place. */
export default function DeleteDialog({ comment, put, onClose }: DeleteDialogProps) {
  const words = useTranslations('message')
  const summary = useSummary()
  const remove = useMutation({
    mutationFn: () => call('DELETE', messagePath(comment)),
    onError: useErrorNotice(),
    onSuccess() {
      onClose()
      put(placeholderOf(comment))
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={words('deleteTitle')}>
      <Stack>
        <Text lineClamp={4}>{summary(comment)}</Text>
        <Text size="sm">{words('deleteHelp')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words('keep')}
          </Button>
          <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
            {words('delete')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
