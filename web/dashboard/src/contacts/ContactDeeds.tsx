import { Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import type { Contact, Me, Row } from '../app/shapes'
import { useIsAway } from '../live/useIsAway'
import { saveAnswer } from '../ui/saveAnswer'
import { useDone } from '../ui/useDone'
import { useFailure } from '../ui/useFailure'
import { EraseDialogue } from './EraseDialogue'

interface ContactDeedsProps {
  me: Me
  contact: Contact
  /** A room of the customer that is visible to the agent. */
  room: Row | undefined
}

/** The buttons that block a customer, export their data, and erase it. */
export function ContactDeeds({ me, contact, room }: ContactDeedsProps) {
  const words = useTranslations('contacts')
  const isAway = useIsAway()
  const [isErasing, setErasing] = useState(false)
  const mayErase = me.may.includes('contacts.erase')
  const save = useMutation({
    mutationFn: () =>
      saveAnswer(`/api/v2/contacts/${contact.id}/export`, `contact-${contact.id}.json`),
    onError: useFailure(),
  })
  return (
    <Group>
      {room && <BlockButton contact={contact} roomId={room.room_id} isAway={isAway} />}
      {mayErase && (
        <>
          <Button
            variant="default"
            disabled={isAway}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {words('export')}
          </Button>
          <Button variant="default" onClick={() => setErasing(true)}>
            {words('erase')}
          </Button>
          {isErasing && <EraseDialogue contact={contact} onClose={() => setErasing(false)} />}
        </>
      )}
    </Group>
  )
}

interface BlockButtonProps {
  contact: Contact
  roomId: string
  isAway: boolean
}

function BlockButton({ contact, roomId, isAway }: BlockButtonProps) {
  const words = useTranslations('contacts')
  const queries = useQueryClient()
  const showDone = useDone()
  const willBe = !contact.is_blocked
  const block = useMutation({
    mutationFn: () =>
      call('POST', '/api/v1/customer/block', { room_id: roomId, is_blocked: willBe }),
    onSuccess: () => showDone(words(willBe ? 'blockDone' : 'unblockDone')),
    onError: useFailure(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <Button
      variant="default"
      disabled={isAway}
      loading={block.isPending}
      onClick={() => block.mutate()}
    >
      {words(willBe ? 'block' : 'unblock')}
    </Button>
  )
}
