import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Me, Row } from '../app/shapes'
import { Dialogue } from '../ui/Dialogue'
import { useFailure } from '../ui/useFailure'

interface ResolveDialogueProps {
  me: Me
  row: Row
  isOpen: boolean
  onClose: () => void
}

/** Ends a conversation, with a note on what came of it. */
export function ResolveDialogue({ me, row, isOpen, onClose }: ResolveDialogueProps) {
  const words = useTranslations('conversation')
  const queries = useQueryClient()
  const side = me.user.role === 'agent' ? 'agent' : 'admin'
  const resolve = useMutation({
    mutationFn: (notes: string) =>
      call('POST', `/api/v1/${side}/service/mark_as_resolved`, { room_id: row.room_id, notes }),
    onError: useFailure(),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    resolve.mutate(String(new FormData(event.currentTarget).get('notes') ?? ''))
  }
  return (
    <Dialogue isOpen={isOpen} onClose={onClose} title={words('resolveTitle', { name: row.name })}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            name="notes"
            label={words('notes')}
            defaultValue={row.notes ?? ''}
            autosize
            minRows={3}
            maxRows={10}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={resolve.isPending}>
              {words('resolve')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialogue>
  )
}
