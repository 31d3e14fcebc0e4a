// `/widget/demo`: the customer in a shop on one side, the agent in the dashboard on the other. The
// link printed at the first start has a code after `#` that signs the agent in.

import { call } from '../../shared/call'
import { type DemoLanguage, fill, isDemoLanguage } from './fill'

const LANGUAGE_KEY = 'confab-demo-language'
/** Base URL of the server, which may have a path prefix. */
const base = new URL('..', location.href)
const part = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const customer = part<HTMLIFrameElement>('customer')
const agent = part<HTMLIFrameElement>('agent')
const chooser = part<HTMLSelectElement>('language')

void begin()

async function begin(): Promise<void> {
  const language = languageOf()
  applyLanguage(language)
  chooser.addEventListener('change', () => {
    const chosen = chooser.value as DemoLanguage
    localStorage.setItem(LANGUAGE_KEY, chosen)
    applyLanguage(chosen)
    show(chosen)
  })
  for (const button of part('sides').querySelectorAll('button')) {
    button.addEventListener('click', () => showSide(button.value))
  }
  await signIn()
  show(language)
}

function languageOf(): DemoLanguage {
  const asked = new URLSearchParams(location.search).get('lang')
  const browsers = navigator.languages.map((tag) => tag.slice(0, 2))
  return [asked, localStorage.getItem(LANGUAGE_KEY), ...browsers].find(isDemoLanguage) ?? 'en'
}

function applyLanguage(language: DemoLanguage): void {
  const words = fill(language)
  document.title = `${words.title} · Confab`
  chooser.value = language
  chooser.ariaLabel = words.language
  part('sides').ariaLabel = words.side
  customer.title = words.customerTitle
  agent.title = words.agentTitle
}

function show(language: DemoLanguage): void {
  customer.src = new URL(`widget/demo/shop?lang=${language}`, base).href
  agent.src = new URL(`dashboard/inbox/all?lang=${language}`, base).href
}

/** Selects the side shown on narrow screens. The other side keeps running. */
function showSide(side: string): void {
  document.querySelector('main')?.setAttribute('data-side', side)
  for (const button of part('sides').querySelectorAll('button')) {
    button.ariaPressed = String(button.value === side)
  }
}

/** Signs in with the code of the link, if it has one. A used code has no effect. */
async function signIn(): Promise<void> {
  const code = location.hash.slice(1)
  if (!code) return
  history.replaceState(null, '', location.pathname + location.search)
  await call('POST', new URL('api/v2/sign_in', base).href, { code }).catch(() => {})
}
