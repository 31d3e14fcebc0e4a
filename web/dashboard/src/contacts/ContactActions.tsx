import { Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Contact, Me, Row } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { downloadResponse } from '../ui/downloadResponse'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { EraseDialog } from './EraseDialog'

interface ContactActionsProps {
  me: Me
  contact: Contact
  /** A room of the customer that is visible to the agent. */
  room: Row | undefined
}

/** The buttons that block a customer, export their data, and erase it. */
export function ContactActions({ me, contact, room }: ContactActionsProps) {
  const words = useTranslations('contacts')
  const isOffline = useIsOffline()
  const [isErasing, setErasing] = useState(false)
  const mayErase = me.may.includes('contacts.erase')
  const save = useMutation({
    mutationFn: () =>
      downloadResponse(`/api/v2/contacts/${contact.id}/export`, `contact-${contact.id}.json`),
    onError: useErrorNotice(),
  })
  return (
    <Group>
      {room && <BlockButton contact={contact} roomId={room.room_id} isOffline={isOffline} />}
      {mayErase && (
        <>
          <Button
            variant="default"
            disabled={isOffline}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {words('export')}
          </Button>
          <Button variant="default" onClick={() => setErasing(true)}>
            {words('erase')}
          </Button>
          {isErasing && <EraseDialog contact={contact} onClose={() => setErasing(false)} />}
        </>
      )}
    </Group>
  )
}

interface BlockButtonProps {
  contact: Contact
  roomId: string
  isOffline: boolean
}

function BlockButton({ contact, roomId, isOffline }: BlockButtonProps) {
  const words = useTranslations('contacts')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const willBe = !contact.is_blocked
  const block = useMutation({
    mutationFn: () =>
      call('POST', '/api/v1/customer/block', { room_id: roomId, is_blocked: willBe }),
    onSuccess: () => showDone(words(willBe ? 'blockDone' : 'unblockDone')),
    onError: useErrorNotice(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <Button
      variant="default"
      disabled={isOffline}
      loading={block.isPending}
      onClick={() => block.mutate()}
    >
      {words(willBe ? 'block' : 'unblock')}
    </Button>
  )
}
