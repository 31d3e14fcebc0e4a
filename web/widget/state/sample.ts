// A conversation that shows what the widget looks like, for whoever sets it up.

import type { Comment } from './api'
import type { Chat } from './chat'

export function showSample(chat: Chat): void {
  const said = (number: number, email: string, username: string, message: string) =>
    ({
      id_str: String(number),
      unique_temp_id: String(number),
      email,
      username,
      message,
      type: 'text',
      is_deleted: false,
      status: 'read',
      timestamp: new Date(Date.now() - (3 - number) * 60_000).toISOString(),
    }) as Comment
  chat.session.value = { kind: 'visitor', userId: 'me', token: '', room: '' }
  chat.thread.value = chat.thread.value.merge(
    [said(1, 'me', '', '?'), said(2, 'agent', chat.settings.value.app.name, '…')],
    true,
  )
  chat.isLoaded.value = true
  chat.isOpen.value = true
}
