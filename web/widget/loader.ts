// The script that a page includes: `<script src="…/widget.js" data-app="shop" async></script>`.
// Draws the launcher, accepts commands by `Confab(…)`, and loads the app on the first click, or at
// once if there is a conversation. `Confab` is its only global. Without settings from the server,
// it draws nothing.

import { adopt } from './adopt_styles'
import type * as App from './app'
import { applyTheme, languageOf } from './appearance'
import type { EventName, MountedWidget, Settings } from './contract'
import launcherCss from './launcher.css?inline'
import type { StoredState } from './state/state_store'
import { openChat as openEn } from './words/en.json'
import { openChat as openId } from './words/id.json'

/** File name of the app, with its hash. Defined by the build. */
declare const APP_FILE: string

type QueuedCall = [name: string, ...values: unknown[]]
type Listener = (detail?: unknown) => void

interface Confab {
  (name: string, ...values: unknown[]): unknown
  /** Commands that the page queued before this script ran. */
  q?: Iterable<unknown>[]
  /** Whether a loader runs already. A second one does nothing. */
  isHere?: boolean
}

const RETRY_MS = 10_000
/** Events that stop at the widget, so that the page's shortcuts, focus traps and handlers ignore
 * them. */
const OWN_EVENTS = 'keydown keyup keypress paste copy cut drop dragover focusin focusout'.split(' ')

const page = window as unknown as { Confab?: Confab }
const script = (document.currentScript ??
  document.querySelector('script[data-app]')) as HTMLScriptElement | null
if (script?.dataset.app && !page.Confab?.isHere) begin(script, script.dataset.app)

function begin({ src, dataset }: HTMLScriptElement, app: string): void {
  const base = new URL('.', src).href
  const listeners: [string, Listener][] = []
  const queued = Array.from(page.Confab?.q ?? [], (values) => [...values] as QueuedCall)
  let mounted: MountedWidget | undefined
  let load: (() => unknown) | undefined
  let isWanted = false

  const emit = (name: EventName, detail?: unknown) => {
    for (const [event, listener] of [...listeners]) if (event === name) listener(detail)
  }

  const confab: Confab = (name, ...values) => {
    if (name === 'on') {
      const entry = values as [string, Listener]
      listeners.push(entry)
      if (load && entry[0] === 'ready') entry[1]()
      return () => void listeners.splice(listeners.indexOf(entry) >>> 0, 1)
    }
    if (mounted) return mounted.run(name, ...values)
    queued.push([name, ...values])
    if (name === 'open') {
      isWanted = true
      load?.()
    }
  }
  confab.isHere = true
  page.Confab = confab
  for (const values of queued.splice(0)) confab(...values)

  async function loadSettings(): Promise<void> {
    const url = `${base}api/v2/widget/${encodeURIComponent(app)}`
    const answer = await fetch(url, { cache: 'no-cache' }).catch(() => null)
    if (answer?.ok) draw((await answer.json()).data)
    // Retry if there was no response or the error may be temporary.
    else if (!answer || answer.status > 404) setTimeout(loadSettings, RETRY_MS)
    // biome-ignore lint/suspicious/noConsole: for the developer of the page, who sees no button.
    else console.warn('Confab: no chat for', app)
  }

  function draw(settings: Settings): void {
    if (!document.body) {
      addEventListener('DOMContentLoaded', () => draw(settings))
      return
    }
    const { language: chosen, visitor, session, wasOpen } = readStored()
    const asking = [dataset.lang, chosen, document.documentElement.lang]
    const language = languageOf(settings, [...asking, ...navigator.languages])
    const host = document.createElement('confab-chat')
    const shadow = host.attachShadow({ mode: 'open' })
    for (const name of OWN_EVENTS) host.addEventListener(name, (it) => it.stopPropagation())
    adopt(shadow, launcherCss)
    const root = document.createElement('section')
    root.className = 'root'
    root.ariaLabel = settings.app.name
    applyTheme(root, settings, language)
    const button = document.createElement('button')
    button.className = 'launcher'
    button.ariaLabel = language === 'id' ? openId : openEn
    button.onclick = () => confab('open')
    root.append(button)
    shadow.append(root)
    // In the top layer, transforms and opacity of the page's body have no effect on the widget.
    // Some pages replace their body; append the widget again then.
    host.popover = 'manual'
    const place = () => {
      if (host.isConnected || !document.body) return
      document.body.append(host)
      host.showPopover?.()
    }
    place()
    new MutationObserver(place).observe(document.documentElement, { childList: true })

    load = async () => {
      load = () => {}
      try {
        const file = `${base}widget/assets/${APP_FILE}`
        const app: typeof App = await import(/* @vite-ignore */ file)
        mounted = await app.mount({ root, base, settings, language, mode: 'widget', emit })
        for (const values of queued.splice(0)) confab(...values)
      } catch {
        // Retry at the next click.
        load = fetchApp
      }
    }
    const fetchApp = load
    emit('ready')
    if (isWanted || visitor || session || wasOpen) load()
  }

  function readStored(): StoredState & { wasOpen?: unknown } {
    try {
      const key = `confab:${app}`
      const wasOpen = sessionStorage.getItem(key)
      return { ...JSON.parse(localStorage.getItem(key) ?? '{}'), wasOpen }
    } catch {
      return {}
    }
  }

  void loadSettings()
}
