import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '../ui/Dialog'

interface ResolveManyProps {
  count: number
  /** Progress text while the action is running. */
  progress: string | null
  onResolve: (notes: string) => void
  onClose: () => void
}

export function ResolveMany({ count, progress, onResolve, onClose }: ResolveManyProps) {
  const words = useTranslations('bulk')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    onResolve(String(new FormData(event.currentTarget).get('notes') ?? '').trim())
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('resolveTitle', { count })}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            name="notes"
            label={words('notes')}
            description={words('notesHelp')}
            rows={3}
            data-autofocus
          />
          <Text role="status" size="sm">
            {progress}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={progress !== null}>
              {words('resolve')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
