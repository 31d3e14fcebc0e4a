import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../app/shapes'
import { useSuccessNotice } from '../ui/feedback/useSuccessNotice'
import { useDraft } from '../ui/forms/useDraft'
import { useBotChange } from './useBotChange'

const URL_MAX = 2048

/** The form for the URL to which customers' messages are delivered. */
export function Address({ bot }: { bot: BotConfig }) {
  const words = useTranslations('bot')
  const showDone = useSuccessNotice()
  const mutation = useBotChange()
  const { draft, change, settle } = useDraft({ bot_webhook_url: bot.bot_webhook_url })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const bot_webhook_url = draft.bot_webhook_url.trim()
    // A call with a URL alone would enable the bot.
    const is_bot_enabled = bot.is_bot_enabled && bot_webhook_url !== ''
    const body = { bot_webhook_url, is_bot_enabled }
    mutation.mutate(
      { path: '/api/v1/app/bot/integrate', body, shown: { bot_webhook_url } },
      {
        onSuccess() {
          settle(draft, { bot_webhook_url })
          showDone(words('saved'))
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          type="url"
          label={words('address')}
          description={words('addressHelp')}
          placeholder="https://bot.example.com/hook"
          maxLength={URL_MAX}
          required
          withAsterisk={false}
          value={draft.bot_webhook_url}
          onChange={(event) => change({ bot_webhook_url: event.currentTarget.value })}
          flex="1 1 16rem"
        />
        <Button type="submit" loading={mutation.isPending}>
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}
