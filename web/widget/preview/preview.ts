// The preview of unsaved settings. The configurator sends the settings and the view to show.
// Nothing is requested or stored here.

import type { Settings } from '../contract'
import type { Comment } from '../state/api'
import type { Chat } from '../state/chat'
import en from './words/en.json'
import id from './words/id.json'

/** The state of the widget to show. */
export type View = 'conversation' | 'newcomer' | 'away' | 'closed'

/** Returns the CSS background of one line of the placeholder page behind the widget. */
const line = (at: number, size: number) =>
  `linear-gradient(rgb(128 128 128/.22) 0 0) 24px ${at}px/${size}% 12px no-repeat`
const LINES = [line(28, 40), line(64, 80), line(88, 72), line(112, 76), line(136, 50)]
export const PAGE = `html,body{block-size:100%;margin:0}body{background:${LINES.join()},Canvas}`

/** Applies settings posted by the configurator. Accepts messages only from pages of this origin. */
export function followConfigurator(chat: Chat): void {
  const show = viewer(chat)
  show('conversation')
  addEventListener('message', ({ origin, data }) => {
    if (origin !== location.origin || data?.type !== 'confab-preview') return
    const settings: Partial<Settings> = data.settings
    chat.settings.value = { ...chat.settings.peek(), ...settings }
    show(data.view)
  })
  parent.postMessage({ type: 'confab-preview-ready' }, location.origin)
}

function viewer(chat: Chat): (view: View) => void {
  // Ignore the stored conversation of this browser, and leave it unchanged.
  Object.assign(chat.store, { read: () => ({}), change: () => {} })
  const nothing = chat.thread.peek()
  const talk = nothing.merge(sample(chat), true)
  const me = { kind: 'visitor', userId: 'me', token: '', room: '' } as const
  chat.isLoaded.value = true
  return (view) => {
    const isTalking = view === 'conversation'
    const isStranger = view === 'newcomer' && chat.settings.peek().is_identity_required
    chat.settings.value = { ...chat.settings.peek(), is_anybody_there: view !== 'away' }
    chat.hasAnswered.value = view !== 'newcomer'
    chat.problem.value = isStranger ? 'identityNeeded' : undefined
    chat.session.value = isTalking ? me : undefined
    chat.thread.value = isTalking ? talk : nothing
    chat.isOpen.value = view !== 'closed'
  }
}

function sample(chat: Chat): Comment[] {
  const { question, answer } = chat.language.peek() === 'id' ? id : en
  const comment = (number: number, email: string, username: string, message: string) =>
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
  return [
    comment(1, 'me', '', question),
    comment(2, 'agent', chat.settings.peek().app.name, answer),
  ]
}
