import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Contact } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { Dialog } from '../ui/Dialog'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'

/** The dialog that erases all data of a customer permanently. The user must type the customer's
 * name. */
export function EraseDialog({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const words = useTranslations('contacts')
  const office = useTranslations('office')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const isOffline = useIsOffline()
  const [confirm, setConfirm] = useState('')
  const erase = useMutation({
    mutationFn: () => call('POST', `/api/v2/contacts/${contact.id}/erase`, { confirm }),
    onError: useErrorNotice(),
    onSuccess() {
      showDone(words('erased'))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (confirm === contact.name) erase.mutate()
  }
  return (
    <Dialog isOpen onClose={onClose} title={words('eraseTitle', { name: contact.name })}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{words('eraseHelp')}</Text>
          <TextInput
            data-autofocus
            label={words('eraseName', { name: contact.name })}
            autoComplete="off"
            value={confirm}
            onChange={(event) => setConfirm(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {office('cancel')}
            </Button>
            <Button
              type="submit"
              color="red.9"
              loading={erase.isPending}
              disabled={isOffline || confirm !== contact.name}
            >
              {words('eraseNow')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
