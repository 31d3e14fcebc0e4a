import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { Channel } from '../app/shapes'
import { useDone } from '../ui/useDone'
import type { useChangeChannel } from './useChannels'

const URL_MAX = 2048

interface AnswersFormProps {
  channel: Channel
  change: ReturnType<typeof useChangeChannel>
}

/** Where answers to the customers of a gateway go. */
export function AnswersForm({ channel, change }: AnswersFormProps) {
  const words = useTranslations('channels')
  const showDone = useDone()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const webhook_url = String(new FormData(event.currentTarget).get('answers') ?? '').trim()
    change.mutate({ webhook_url }, { onSuccess: () => showDone(words('saved')) })
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          key={channel.webhook_url}
          name="answers"
          type="url"
          label={words('answers')}
          description={words('answersHelp')}
          placeholder="https://gateway.example.com/answers"
          maxLength={URL_MAX}
          defaultValue={channel.webhook_url ?? ''}
          flex="1 1 16rem"
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
