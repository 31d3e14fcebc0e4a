/** What was read of the bot. */
export const BOT = ['bot'] as const
