import { Stack, Switch } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../app/shapes'
import { useBotChange } from './useBotChange'

/** The switches for the bot, and for also delivering conversations that agents handle. */
export function Switches({ bot }: { bot: BotConfig }) {
  const words = useTranslations('bot')
  const mutation = useBotChange()
  return (
    <Stack gap="md">
      <Switch
        label={words('isOn')}
        description={bot.bot_webhook_url ? words('isOnHelp') : words('noAddress')}
        checked={bot.is_bot_enabled}
        disabled={mutation.isPending || (!bot.bot_webhook_url && !bot.is_bot_enabled)}
        onChange={({ currentTarget: { checked } }) =>
          mutation.mutate({
            path: '/api/v1/app/bot/activation',
            body: { is_active: checked },
            shown: { is_bot_enabled: checked },
          })
        }
      />
      <Switch
        label={words('hearsAll')}
        description={words('hearsAllHelp')}
        checked={bot.is_force_send_bot}
        disabled={mutation.isPending}
        onChange={({ currentTarget: { checked } }) =>
          mutation.mutate({
            path: '/api/v2/app/bot/force_send',
            body: { is_force_send_bot: checked },
            shown: { is_force_send_bot: checked },
          })
        }
      />
    </Stack>
  )
}
