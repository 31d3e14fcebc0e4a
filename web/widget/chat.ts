// `/chat/{app_code}`: the widget as a page of its own, for links and for pages that allow no
// scripts. With `?preview` it shows sample data with the settings that the configurator sends.

import type * as App from './app'
import type { Settings } from './contract'
import launcherCss from './launcher.css?inline'

/** File name of the app, with its hash. Defined by the build. */
declare const APP_FILE: string

const PAGE = 'html,body{block-size:100%;margin:0;background:Canvas}'

void begin()

async function begin(): Promise<void> {
  const query = new URLSearchParams(location.search)
  // The server may be reached under any path prefix.
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
  const app: typeof App = await import(/* @vite-ignore */ file)
  const { adopt, languageOf, mount } = app
  const language = languageOf(settings, [query.get('lang'), ...navigator.languages])
  document.documentElement.lang = language
  document.title = settings.app.name
  const preview = query.has('preview') ? await import('./preview/preview') : null
  adopt(document, preview?.PAGE ?? PAGE)
  const host = document.createElement('confab-chat')
  const shadow = host.attachShadow({ mode: 'open' })
  adopt(shadow, launcherCss)
  const root = document.createElement('div')
  root.className = 'root'
  shadow.append(root)
  document.body.append(host)
  const options = { root, base, settings, language, emit: () => {} }
  if (!preview) return void (await mount({ ...options, mode: 'page' }))
  // The preview must not take the focus.
  root.inert = true
  await mount({ ...options, mode: 'widget', prepare: preview.followConfigurator })
}
