import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../shared/call'
import { ME } from '../app/me'
import type { BotConfig } from '../app/shapes'
import { useFailure } from '../ui/useFailure'
import { BOT } from './botKey'

interface Deed {
  path: string
  body: object
  /** What is shown until it is read again. */
  shown: Partial<BotConfig>
}

/** Changes the bot, and reads it again. */
export function useBotDeed() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, body }: Deed) => call('POST', path, body),
    onError: useFailure(),
    onSuccess(_, { shown }) {
      queries.setQueryData<BotConfig>(BOT, (bot) => bot && { ...bot, ...shown })
      // Whether a conversation can be given to the bot is said there.
      void queries.invalidateQueries({ queryKey: ME })
      return queries.invalidateQueries({ queryKey: BOT })
    },
  })
}
