// `/chat/{app_code}`: the widget as a page of its own, for links and for pages that allow no script.
// With `?preview` it shows what it would look like with the settings that the configurator sends.

import type { Settings } from './contract'
import launcherCss from './launcher.css?inline'
import { showSample } from './state/sample'

/** The file of the app, with its hash: the build puts it here. */
declare const APP_FILE: string

const PAGE = 'html,body{block-size:100%;margin:0;background:Canvas}'

void begin()

async function begin(): Promise<void> {
  const query = new URLSearchParams(location.search)
  // Below whatever path the server is reached by.
  const [, before = '/', code = ''] = /^(.*\/)chat\/([^/]+)/.exec(location.pathname) ?? []
  const base = new URL(before, location.href).href
  const answer = await fetch(`${base}api/v2/widget/${code}`, { cache: 'no-cache' }).catch(
    () => null,
  )
  if (!answer?.ok) {
    const retry = () => setTimeout(() => void begin(), 10_000)
    if (!answer || answer.status >= 500) retry()
    return
  }
  const settings: Settings = (await answer.json()).data
  const file = `${base}widget/assets/${APP_FILE}`
  const app: typeof import('./app') = await import(/* @vite-ignore */ file)
  const { adopt, languageOf, mount } = app
  const language = languageOf(settings, [query.get('lang'), ...navigator.languages])
  document.documentElement.lang = language
  document.title = settings.app.name
  adopt(document, PAGE)
  const host = document.createElement('confab-chat')
  const shadow = host.attachShadow({ mode: 'open' })
  adopt(shadow, launcherCss)
  const root = document.createElement('div')
  root.className = 'root'
  shadow.append(root)
  document.body.append(host)
  const isPreview = query.has('preview')
  const options = { root, base, settings, language, emit: () => {} }
  const mounted = await mount({
    ...options,
    mode: 'page',
    ...(isPreview ? { prepare: showSample } : {}),
  })
  if (isPreview) followConfigurator((changed) => mounted.show({ ...settings, ...changed }))
}

/** Settings come from pages of this very server only. */
function followConfigurator(show: (settings: Partial<Settings>) => void): void {
  addEventListener('message', ({ origin, data }) => {
    if (origin === location.origin && data?.type === 'confab-preview') show(data.settings)
  })
  parent.postMessage({ type: 'confab-preview-ready' }, location.origin)
}
