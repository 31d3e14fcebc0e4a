// The app: renders the widget into the loader's root element and runs the page's commands.

import { effect } from '@preact/signals'
import { options as drawing, render } from 'preact'
import { list, record, text } from '../shared/payload'
import { adopt } from './adopt_styles'
import { applyTheme } from './appearance'
import type { MountedWidget, Signer } from './contract'
import { loadMore, more } from './parts/more'
import { Widget } from './parts/Widget'
import { schemeOf } from './scheme'
import { Chat, type ChatOptions } from './state/chat'
import type { Property } from './state/state_store'
import css from './widget.css?inline'
import { loadWords } from './words'

export { adopt } from './adopt_styles'
export { languageOf } from './appearance'

/** Maximum delay of a rendering. Hidden pages get no animation frames. */
const FRAME_MS_MAX = 50

// Render at most once per frame. Rendering twice has no effect.
drawing.debounceRendering = (draw) => {
  requestAnimationFrame(draw)
  setTimeout(draw, FRAME_MS_MAX)
}

interface MountOptions extends ChatOptions {
  /** Element that the app renders into, within a shadow root. */
  root: HTMLElement
  /** `page` fills the window and cannot be closed. */
  mode: 'widget' | 'page'
  /** Fills the chat with sample data instead of starting it. Nothing is requested or stored
   * then. */
  prepare?: (chat: Chat) => void
}

export async function mount(options: MountOptions): Promise<MountedWidget> {
  const { root, mode, emit } = options
  const shadow = root.getRootNode() as ShadowRoot
  await loadWords(options.language)
  adopt(shadow, css)
  const chat = new Chat(options)
  if (options.prepare) options.prepare(chat)
  else chat.start()
  loadMore(chat, shadow)
  if (mode === 'page') chat.isOpen.value = true
  const update = () => {
    applyTheme(root, chat.settings.value, chat.language.value)
    root.dataset.scheme = schemeOf(chat.settings.value)
  }
  effect(update)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update)
  root.replaceChildren()
  render(<Widget chat={chat} mode={mode} />, root)
  let emitted = 0
  effect(() => {
    const count = chat.unread.value
    more.value?.countInTitle(count)
    if (count !== emitted) emit('unread', count)
    emitted = count
  })
  return { run: (name, ...values) => run(chat, name, values) }
}

function run(chat: Chat, name: string, values: unknown[]): void {
  const [first, second] = values
  switch (name) {
    case 'open':
    case 'close':
      chat.open(name === 'open')
      break
    case 'identify':
      if (typeof first === 'function') {
        const key = second === undefined ? undefined : String(second)
        void chat.identify(first as Signer, key)
      }
      break
    case 'forget':
      chat.forget()
      break
    case 'properties':
      void chat.addProperties(propertiesOf(first)).catch(() => {})
      break
  }
}

/** Reads `{Order: 'A-17'}` or `[{key: 'Order', value: 'A-17'}]`. */
function propertiesOf(value: unknown): Property[] {
  const pairs = Array.isArray(value)
    ? list(value).map(({ key, value }) => ({ key: text(key), value: text(value) }))
    : Object.entries(record(value)).map(([key, value]) => ({ key, value: text(value) }))
  return pairs.filter(({ key }) => key !== '')
}
