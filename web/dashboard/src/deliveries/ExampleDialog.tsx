import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Data } from '../app/shapes'
import { Dialog } from '../ui/Dialog'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { KINDS } from '../webhooks/kinds'
import { DELIVERIES } from './useDeliveries'
import { useKindName } from './useKindName'

/** The dialog that creates an example webhook, which is delivered like a real one. */
export default function ExampleDialog({ kind, onClose }: { kind: string; onClose: () => void }) {
  const words = useTranslations('deliveries')
  const kindName = useKindName()
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const send = useMutation({
    mutationFn: (kind: string) =>
      call<Data<{ delivery_ids: number[] }>>('POST', '/api/v2/webhooks/trigger', { kind }),
    onError: useErrorNotice(),
    onSuccess({ data }) {
      showDone(words('triggered', { count: data.delivery_ids.length }))
      onClose()
      return queries.invalidateQueries({ queryKey: DELIVERIES })
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    send.mutate(String(new FormData(event.currentTarget).get('kind')))
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('exampleTitle')}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{words('exampleHelp')}</Text>
          <NativeSelect
            name="kind"
            label={words('kind')}
            defaultValue={kind || 'bot'}
            data={KINDS.map((value) => ({ value, label: kindName(value) }))}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words('cancel')}
            </Button>
            <Button type="submit" loading={send.isPending}>
              {words('send')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
