import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../shared/call'
import { AdminWords } from '../app/AdminWords'
import type { Row } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { type TemplateBody, TemplateFields } from './TemplateFields'
import classes from './Templates.module.css'
import { useRequestIds } from './useRequestIds'

/** The form that sends a template, if the customer's last message is too old or missing. */
export default function ClosedWindow({ row }: { row: Row }) {
  return (
    <AdminWords fallback={null}>
      <Offer key={row.room_id} row={row} />
    </AdminWords>
  )
}

function Offer({ row }: { row: Row }) {
  const words = useTranslations('templates')
  const isOffline = useIsOffline()
  const [filled, setFilled] = useState<TemplateBody | null>(null)
  // Reset the form after sending, so that the same template is not sent twice by mistake.
  const [sent, setSent] = useState(0)
  const ids = useRequestIds()
  const path = `/api/v2/customer_rooms/${row.room_id}/templates`
  const send = useMutation({
    mutationFn: (filled: TemplateBody) =>
      call('POST', path, { ...filled, unique_temp_id: ids.of(filled) }),
    onError: useErrorNotice(),
    onSuccess() {
      ids.reset()
      setFilled(null)
      setSent(sent + 1)
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (filled) send.mutate(filled)
  }
  return (
    <form className={classes.offer} onSubmit={submit}>
      <Text role="note">{words('closed')}</Text>
      <TemplateFields key={sent} channel={row.channel_id} onChange={setFilled} />
      <Group justify="flex-end">
        <Button type="submit" loading={send.isPending} disabled={isOffline || filled === null}>
          {words('send')}
        </Button>
      </Group>
    </form>
  )
}
