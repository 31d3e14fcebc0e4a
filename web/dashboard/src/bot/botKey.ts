/** Query key of the bot settings. */
export const BOT = ['bot'] as const
