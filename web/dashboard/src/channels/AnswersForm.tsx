import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { Channel } from '../app/shapes'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useDraft } from '../ui/forms/useDraft'
import type { useChangeChannel } from './useChannels'

const URL_MAX = 2048

interface AnswersFormProps {
  channel: Channel
  change: ReturnType<typeof useChangeChannel>
}

/** The form for the URL to which replies to a channel's customers are sent. */
export function AnswersForm({ channel, change }: AnswersFormProps) {
  const words = useTranslations('channels')
  const showDone = useSuccessNotice()
  const { draft, change: write, settle } = useDraft({ webhook_url: channel.webhook_url ?? '' })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const wanted = { webhook_url: draft.webhook_url.trim() }
    change.mutate(wanted, {
      onSuccess() {
        settle(draft, wanted)
        showDone(words('saved'))
      },
    })
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          type="url"
          label={words('answers')}
          description={words('answersHelp')}
          placeholder="https://gateway.example.com/answers"
          maxLength={URL_MAX}
          value={draft.webhook_url}
          onChange={(event) => write({ webhook_url: event.currentTarget.value })}
          flex="1 1 16rem"
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
