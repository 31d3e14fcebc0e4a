import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { ME } from '../app/me'
import type { BotConfig } from '../app/shapes'
import { useErrorNotice } from '../ui/feedback/useErrorNotice'
import { BOT } from './botKey'

interface BotChange {
  path: string
  body: object
  /** Settings shown until the reload completes. */
  shown: Partial<BotConfig>
}

/** Changes bot settings and reloads them. */
export function useBotChange() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, body }: BotChange) => call('POST', path, body),
    onError: useErrorNotice(),
    onSuccess(_, { shown }) {
      queries.setQueryData<BotConfig>(BOT, (bot) => bot && { ...bot, ...shown })
      // Whether conversations can be assigned to the bot is part of `me`.
      void queries.invalidateQueries({ queryKey: ME })
      return queries.invalidateQueries({ queryKey: BOT })
    },
  })
}
