import { NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../shared/call'
import type { ChannelName, ChannelTexts, Data } from '../../app/shapes'
import { ErrorState } from '../../ui/feedback/ErrorState'
import { useErrorNotice } from '../../ui/feedback/useErrorNotice'
import { useSuccessNotice } from '../../ui/feedback/useSuccessNotice'
import { SaveBar } from '../../ui/forms/SaveBar'
import { useDraft } from '../../ui/forms/useDraft'
import { changesOf } from '../draft'
import { type AutoReplies, AutoReplyFields, autoRepliesOf } from './AutoReplyFields'

type Answer = Data<{ configs: ChannelTexts }>

/** Query key of all channels' texts. They are invalidated with the app's texts, which they
 * inherit. */
export const CHANNEL_TEXTS = ['channel_texts'] as const

const pathOf = (channel: number) => `/api/v2/channels/${channel}/configs`

/** The automatic replies of one channel, chosen from a list. */
export function ChannelTextsPart() {
  const words = useTranslations('hours')
  const [channel, setChannel] = useState<number | null>(null)
  const { data } = useQuery({
    queryKey: ['choices', '/api/v2/channel_names'],
    queryFn: () =>
      call<Data<{ channels: ChannelName[] }>>('GET', '/api/v2/channel_names').then(
        ({ data }) => data,
      ),
    staleTime: 60_000,
  })
  const choices = (data?.channels ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  return (
    <Stack gap="sm" mt="lg">
      <Title order={3} size="h5">
        {words('ofChannel')}
      </Title>
      <Text size="sm" className="muted">
        {words('ofChannelHelp')}
      </Text>
      <NativeSelect
        label={words('channel')}
        data={[{ value: '', label: words('chooseChannel') }, ...choices]}
        value={channel ?? ''}
        onChange={(event) => setChannel(Number(event.currentTarget.value) || null)}
      />
      {channel !== null && <ChannelTextsForm key={channel} channel={channel} />}
    </Stack>
  )
}

/** The form for a channel's automatic replies, which default to the app's. */
export function ChannelTextsForm({ channel }: { channel: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...CHANNEL_TEXTS, channel],
    queryFn: () => call<Answer>('GET', pathOf(channel)).then(({ data }) => data.configs),
  })
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />
  return data && <Form channel={channel} kept={autoRepliesOf(data)} />
}

function Form({ channel, kept }: { channel: number; kept: AutoReplies }) {
  const words = useTranslations('hours')
  const queries = useQueryClient()
  const showDone = useSuccessNotice()
  const { draft, base, change, undo, settle, isChanged } = useDraft(kept)
  const save = useMutation({
    // Send changed fields only: unchanged ones keep following the app's texts.
    mutationFn: (wanted: AutoReplies) =>
      call<Answer>('POST', pathOf(channel), changesOf(base, wanted)),
    onError: useErrorNotice(),
    onSuccess({ data }, wanted) {
      showDone(words('saved'))
      settle(wanted, autoRepliesOf(data.configs))
      queries.setQueryData([...CHANNEL_TEXTS, channel], data.configs)
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    save.mutate(draft)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <AutoReplyFields replies={draft} change={change} />
        <SaveBar
          label={words('saveChannel')}
          isChanged={isChanged}
          isSaving={save.isPending}
          onUndo={undo}
        />
      </Stack>
    </form>
  )
}
