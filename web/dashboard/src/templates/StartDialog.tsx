import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLocation } from 'wouter'
import { call } from '../../../shared/call'
import type { ChannelName, Data, Row } from '../app/shapes'
import { useIsOffline } from '../live/useIsOffline'
import { Dialog } from '../ui/Dialog'
import { ErrorState } from '../ui/feedback/ErrorState'
import { Spinner } from '../ui/feedback/Loading'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { type TemplateBody, TemplateFields } from './TemplateFields'
import { useRequestIds } from './useRequestIds'

/** Source of the channels that can message customers who have not written yet. */
const WRITES_FIRST = 'wa'

/** The dialog that starts a conversation: channel, phone number and template. */
export default function StartDialog({ onClose }: { onClose: () => void }) {
  const words = useTranslations('templates')
  return (
    <Dialog isOpen onClose={onClose} title={words('start')}>
      <StartForm onClose={onClose} />
    </Dialog>
  )
}

function StartForm({ onClose }: { onClose: () => void }) {
  const words = useTranslations('templates')
  const office = useTranslations('office')
  const [, goTo] = useLocation()
  const isOffline = useIsOffline()
  const { data: channels, error, refetch } = useChannelsToStart()
  const [picked, setPicked] = useState<number>()
  const [number, setNumber] = useState('')
  const [name, setName] = useState('')
  const [filled, setFilled] = useState<TemplateBody | null>(null)
  const ids = useRequestIds()
  const start = useMutation({
    mutationFn: (body: object) =>
      call<Data<{ customer_room: Row }>>('POST', '/api/v2/customer_rooms/start', {
        ...body,
        unique_temp_id: ids.of(body),
      }),
    onError: useErrorNotice(),
    onSuccess({ data }) {
      onClose()
      goTo(`/inbox/all/${data.customer_room.room_id}`)
    },
  })
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!channels) return <Spinner label={words('channel')} />
  const channel = picked ?? channels[0]?.id
  if (channel === undefined) return <Text>{words('noChannel')}</Text>
  const isReady = filled !== null && number.trim() !== '' && !isOffline
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    start.mutate({
      ...filled,
      channel_id: channel,
      phone_number: number,
      ...(name.trim() === '' ? {} : { name }),
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <NativeSelect
          label={words('channel')}
          value={channel}
          onChange={(event) => {
            setPicked(Number(event.currentTarget.value))
            setFilled(null)
          }}
          data={channels.map((it) => ({ value: String(it.id), label: it.name }))}
        />
        <TextInput
          data-autofocus
          type="tel"
          label={words('number')}
          description={words('numberHelp')}
          autoComplete="off"
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <TextInput
          label={words('name')}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TemplateFields key={channel} channel={channel} onChange={setFilled} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {office('cancel')}
          </Button>
          <Button type="submit" loading={start.isPending} disabled={!isReady}>
            {words('send')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function useChannelsToStart() {
  return useQuery({
    queryKey: ['live', 'channel_names', 'start'],
    queryFn: async () => {
      const { data } = await call<Data<{ channels: ChannelName[] }>>('GET', '/api/v2/channel_names')
      return data.channels.filter((it) => it.is_active && it.source === WRITES_FIRST)
    },
    staleTime: 0,
  })
}
