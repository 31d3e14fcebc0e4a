import { createHmac } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, row, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'
import { Graph, Telegram } from './helpers/stand_ins'

// Channels of messaging providers: connect, check, change, replace and delete.

const TOKEN = '123456789:AAE-first-token-of-the-shops-bot'
const NEXT = '123456789:AAE-second-token-of-the-same-bot'
const OTHER = '987654321:AAE-a-token-of-another-bot-here'
const SECRET = 'app-secret-of-the-meta-app-9999'

let telegram: Telegram
let graph: Graph
let server: Server
/** A second server, with a public URL. */
let reached: Server

test.beforeAll(async () => {
  telegram = await Telegram.start()
  graph = await Graph.start()
  const allowed = [telegram, graph].map(({ url }) => new URL(url).host).join(',')
  const flags = [
    ...['--telegram-api-url', telegram.url, '--whatsapp-api-url', graph.url],
    ...['--messenger-api-url', graph.url, '--instagram-api-url', graph.url],
    ...['--webhook-allow', allowed],
  ]
  server = await Server.start(...flags)
  reached = await Server.start(...flags, '--public-url', 'https://confab.example')
  await makeSari(server)
  await server.agent('Super Visor', 'sup@example.com', SARI.password, 'supervisor')
})

test.afterAll(async () => {
  await server.stop()
  await reached.stop()
  telegram.stop()
  graph.stop()
})

test.beforeEach(() => {
  telegram.bots.clear()
  telegram.bots.set(TOKEN, { id: 123456789, first_name: 'Shop bot', username: 'shop_bot' })
  telegram.hook = ''
  graph.token = 'EAAG-first-token-of-the-number-1111'
  graph.quality = 'GREEN'
})

async function open(page: Page, path: string, at = server): Promise<void> {
  await signIn(page, at, admin(at))
  await page.goto(`${at.url}/dashboard/${path}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const connect = (page: Page) => page.getByRole('button', { name: 'Connect', exact: true })

/** Deletes all provider channels of a server. */
async function forgetAll(at: Server): Promise<void> {
  const { data } = (await at.asAdmin('GET', '/api/v2/channels')) as never as {
    data: Record<string, { id: number }[]>
  }
  for (const word of ['telegram', 'wa', 'fb', 'ig']) {
    for (const { id } of data[`${word}_channels`] ?? []) {
      await at.asAdmin('POST', `/api/v2/${word}/connect/${id}/delete`, {})
    }
  }
}

test.afterEach(() => Promise.all([forgetAll(server), forgetAll(reached)]))

/** Connects a Telegram bot by the API. Returns its channel id. */
async function bot(at = server): Promise<number> {
  const body = { bot_token: TOKEN, name: 'Our bot' }
  const { data } = (await at.asAdmin('POST', '/api/v2/telegram/connect', body)) as never as {
    data: { telegram_channel: { id: number } }
  }
  return data.telegram_channel.id
}

test('a Telegram bot is connected step by step, and its customers get replies', async ({
  page,
}) => {
  await open(page, 'channels')
  await page.getByRole('link', { name: 'Connect Telegram' }).click()
  await expect(page.getByRole('heading', { name: 'Connect Telegram', level: 1 })).toBeVisible()
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('link', { name: 't.me/BotFather' })).toBeVisible()
  // Invalid tokens are rejected without a request to the provider.
  await connect(page).click()
  await expect(page.getByText('Fill this in.')).toBeVisible()
  await expect(field(page, 'Bot token')).toBeFocused()
  await field(page, 'Bot token').fill('@shop_bot')
  await expect(page.getByText(/^A token is digits, a colon and letters/)).toBeVisible()
  // Telegram rejects this token.
  await field(page, 'Bot token').fill(OTHER)
  await connect(page).click()
  await expect(page.getByText(/Telegram rejects/)).toBeVisible()
  await field(page, 'Bot token').fill(`  ${TOKEN} `)
  await expect(page.getByText(/Telegram rejects/)).toHaveCount(0)
  await connect(page).click()
  await expect(page.getByRole('heading', { name: 'Shop bot is connected' })).toBeVisible()
  await expect(page.getByText('Telegram was checked just now.')).toBeVisible()
  await expect(page.getByText('Works', { exact: true })).toBeVisible()
  await expect(page.getByText('by polling')).toBeVisible()
  expect(await page.content()).not.toContain(TOKEN)
  telegram.write(77, 'Budi', 'Is anybody here?')
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Budi').click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await page.getByRole('textbox', { name: 'Reply' }).fill('Yes')
  await page.keyboard.press('Enter')
  await expect.poll(() => telegram.sent).toContainEqual({ chat_id: 77, text: 'Yes' })
  // A bot cannot be connected twice.
  await page.goto(`${server.url}/dashboard/channels/connect/telegram`)
  await field(page, 'Bot token').fill(TOKEN)
  await connect(page).click()
  await expect(page.getByRole('alert')).toContainText('connected already')
})

test('a WhatsApp number is connected, and the values to enter at Meta are shown once', async ({
  page,
}) => {
  await open(page, 'channels/connect/wa', reached)
  await field(page, 'Phone number ID').fill('+62 811-1111-111')
  await field(page, 'Access token').fill(graph.token)
  await field(page, 'App secret').fill(SECRET)
  await connect(page).click()
  await expect(page.getByText(/not the phone number itself/)).toBeVisible()
  await field(page, 'Phone number ID').fill(Graph.NUMBER)
  await field(page, 'Access token').fill('EAAG-wrong')
  await connect(page).click()
  await expect(page.getByText(/WhatsApp rejects/)).toBeVisible()
  await field(page, 'Access token').fill(graph.token)
  await page.getByRole('switch', { name: /messages were read/ }).press('Space')
  await connect(page).click()
  await expect(page.getByRole('heading', { name: 'Shop is connected' })).toBeVisible()
  await expect(page.getByText(/^https:\/\/confab\.example\/api\/v2\/hooks\/wa\/\d+$/)).toBeVisible()
  await expect(page.getByText('Copy it now')).toBeVisible()
  await expect(page.getByText(/enter this callback URL and the verify token/)).toBeVisible()
  const token = (await page.locator('pre').nth(1).textContent()) ?? ''
  expect(token.length).toBeGreaterThan(15)
  await page.getByRole('link', { name: 'Open the channel' }).click()
  await expect(page.getByRole('heading', { name: 'Shop', level: 1 })).toBeVisible()
  await expect(page.getByText('+62 811-1111-111')).toBeVisible()
  await expect(page.getByText(/^https:\/\/confab\.example\/api\/v2\/hooks\/wa\/\d+$/)).toBeVisible()
  await expect(page.getByText(/ends in 9999/)).toBeVisible()
  await expect(page.getByRole('switch', { name: /messages were read/ })).toBeChecked()
  for (const secret of [token, SECRET, graph.token]) {
    expect(await page.content()).not.toContain(secret)
  }
})

test('a WhatsApp number with a business account id needs no further setup', async ({ page }) => {
  await open(page, 'channels/connect/wa', reached)
  await field(page, 'Phone number ID').fill(Graph.NUMBER)
  await field(page, 'WhatsApp Business Account ID (optional)').fill(Graph.BUSINESS)
  await field(page, 'Access token').fill(graph.token)
  await field(page, 'App secret').fill(SECRET)
  await field(page, 'Name (optional)').fill('Our number')
  await connect(page).click()
  await expect(page.getByRole('heading', { name: 'Our number is connected' })).toBeVisible()
  await expect(page.getByText('Confab has registered this address at WhatsApp.')).toBeVisible()
})

test('a Messenger page is connected, and the extended reply window can be enabled', async ({
  page,
}) => {
  await open(page, 'channels', reached)
  await page.getByRole('link', { name: 'Connect Messenger' }).click()
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(4)
  await field(page, 'Page ID').fill('1')
  await field(page, 'Access token').fill(graph.token)
  await field(page, 'App secret').fill(SECRET)
  await connect(page).click()
  await expect(page.getByText(/The token is that of Shop page/)).toBeVisible()
  await field(page, 'Page ID').fill(Graph.PAGE)
  await page.getByRole('switch', { name: /for seven days/ }).press('Space')
  await connect(page).click()
  await expect(page.getByRole('heading', { name: 'Shop page is connected' })).toBeVisible()
  await expect(page.getByText(/^https:\/\/confab\.example\/api\/v2\/hooks\/fb\/\d+$/)).toBeVisible()
  await expect(page.getByText('Copy it now')).toBeVisible()
  await expect(page.getByText(/subscribe to messages, messaging_postbacks/)).toBeVisible()
  await page.getByRole('link', { name: 'Open the channel' }).click()
  await expect(page.getByRole('switch', { name: /for seven days/ })).toBeChecked()
  for (const secret of [SECRET, graph.token]) expect(await page.content()).not.toContain(secret)
})

test('an Instagram account is found by its token, and stories are enabled by default', async ({
  page,
}) => {
  await open(page, 'channels/connect/ig', reached)
  await field(page, 'Access token').fill('EAAG-wrong')
  await field(page, 'Instagram app secret').fill(SECRET)
  await connect(page).click()
  await expect(page.getByText(/Meta rejects the token/)).toBeVisible()
  await field(page, 'Access token').fill(graph.token)
  const stories = page.getByRole('switch', { name: /^Stories/ })
  await expect(stories).toBeChecked()
  await connect(page).click()
  await expect(page.getByRole('heading', { name: 'shop.ig is connected' })).toBeVisible()
  await expect(page.getByText(/Then publish the app/)).toBeVisible()
  await page.getByRole('link', { name: 'Open the channel' }).click()
  await expect(stories).toBeChecked()
  await stories.press('Space')
  await expect(stories).not.toBeChecked()
})

test('without a public URL, connecting WhatsApp shows a warning first', async ({ page }) => {
  await open(page, 'channels/connect/wa')
  await expect(page.getByText(/no public https address/)).toBeVisible()
  await page.goto(`${server.url}/dashboard/channels/connect/telegram`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/no public https address/)).toHaveCount(0)
})

test('a check reports what is wrong, and a new token repairs it', async ({ page }) => {
  const id = await bot()
  await open(page, 'channels')
  await page.getByRole('link', { name: 'Our bot' }).click()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state.getByText('Works', { exact: true })).toBeVisible()
  telegram.hook = 'https://elsewhere.example/hook'
  await state.getByRole('button', { name: 'Check now' }).click()
  await expect(state.getByText(/^Misconfigured · since/)).toBeVisible()
  await expect(state.getByText(/^Why: .*another system/)).toBeVisible()
  telegram.hook = ''
  telegram.bots.set(NEXT, { id: 123456789, first_name: 'Shop bot', username: 'shop_bot' })
  telegram.bots.set(OTHER, { id: 987654321, first_name: 'Other bot', username: 'other_bot' })
  telegram.bots.delete(TOKEN)
  await state.getByRole('button', { name: 'Check now' }).click()
  await expect(state.getByText(/^Token refused · since/)).toBeVisible()
  await page.goto(`${server.url}/dashboard/channels`)
  await expect(page.getByText('Token refused')).toBeVisible()
  await page.goto(`${server.url}/dashboard/channels/${id}`)
  const replace = page.getByRole('button', { name: 'Replace', exact: true })
  await expect(replace).toBeDisabled()
  await field(page, 'Bot token').fill(OTHER)
  await replace.click()
  await expect(page.getByText(/belongs to another account/)).toBeVisible()
  await field(page, 'Bot token').fill(NEXT)
  await replace.click()
  await expect(page.getByText('Replaced.')).toBeVisible()
  await expect(field(page, 'Bot token')).toHaveValue('')
  await expect(state.getByText('Works', { exact: true })).toBeVisible()
  await expect(page.getByText(`ends in ${NEXT.slice(-4)}`)).toBeVisible()
  expect(await page.content()).not.toContain(NEXT)
})

test('a provider channel can be renamed, disabled, enabled, given its own texts, and deleted', async ({
  page,
}) => {
  const id = await bot()
  await open(page, `channels/${id}`)
  await field(page, 'Name').fill('Help desk')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Help desk', level: 1 })).toBeVisible()
  const on = page.getByRole('switch', { name: 'Help desk is on' })
  await on.press('Space')
  await expect(on).not.toBeChecked()
  await expect(page.getByText(/^Nothing comes in or goes out\. Switch it on/)).toBeVisible()
  await on.press('Space')
  await expect(on).toBeChecked()
  const away = page.getByRole('textbox', { name: /^Away text/ })
  await away.fill('We are asleep.')
  await page.getByRole('button', { name: "Save the channel's texts" }).click()
  await expect(page.getByText('Saved.').last()).toBeVisible()
  await page.reload()
  await expect(away).toHaveValue('We are asleep.')
  await page.getByRole('button', { name: 'Delete' }).click()
  const asked = page.getByRole('dialog', { name: 'Delete Help desk?' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect(asked).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete' }).click()
  await asked.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Help desk is deleted.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Help desk' })).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/channels/${id}`)
  await expect(page.getByRole('alert', { name: 'Not found' })).toBeVisible()
})

test('an admin sets the URL to which webhooks of a WhatsApp number are forwarded', async ({
  page,
}) => {
  const body = {
    access_token: graph.token,
    phone_number_id: Graph.NUMBER,
    app_secret: SECRET,
    name: 'Our number',
  }
  const made = (await reached.asAdmin('POST', '/api/v2/wa/connect', body)) as never as {
    data: { wa_channel: { id: number } }
  }
  const { id } = made.data.wa_channel
  const kept = async () => {
    const { data } = (await reached.asAdmin('GET', `/api/v2/wa/${id}`)) as never as {
      data: { wa_channel: { forward_url: string | null; forward_enabled: boolean } }
    }
    const { forward_url, forward_enabled } = data.wa_channel
    return [forward_url, forward_enabled]
  }
  await open(page, `channels/${id}`, reached)
  const part = page.getByRole('region', { name: 'Forwarding' })
  const address = part.getByLabel('Forward to this URL')
  const save = part.getByRole('button', { name: 'Save' })
  const isOn = part.getByRole('switch', { name: 'Forward events' })
  await expect(save).toBeDisabled()
  await expect(isOn).toHaveCount(0)
  // Forwarding follows the restrictions of webhooks.
  await address.fill('http://169.254.169.254/')
  await save.click()
  await expect(page.getByText(/forward_url/)).toBeVisible()
  await address.fill(`${graph.url}/forwarded`)
  await save.click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await expect(isOn).toBeChecked()
  expect(await kept()).toEqual([`${graph.url}/forwarded`, true])
  await page.reload()
  await expect(address).toHaveValue(`${graph.url}/forwarded`)
  await isOn.press('Space')
  await expect(isOn).not.toBeChecked()
  expect(await kept()).toEqual([`${graph.url}/forwarded`, false])
  await address.fill('')
  await save.click()
  await expect(isOn).toHaveCount(0)
  expect(await kept()).toEqual([null, false])
})

test('an agent sees the delivery state and the failure of their reply', async ({ page }) => {
  const body = { access_token: graph.token, phone_number_id: Graph.NUMBER, app_secret: SECRET }
  const made = (await reached.asAdmin('POST', '/api/v2/wa/connect', body)) as never as {
    data: { wa_channel: { id: number } }
  }
  /** Simulates a webhook of Meta. */
  const bring = async (value: object) => {
    const metadata = { phone_number_id: Graph.NUMBER }
    const change = {
      field: 'messages',
      value: { messaging_product: 'whatsapp', metadata, ...value },
    }
    const text = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [change] }],
    })
    const signature = createHmac('sha256', SECRET).update(text).digest('hex')
    const path = `/api/v2/hooks/wa/${made.data.wa_channel.id}`
    const headers = { 'x-hub-signature-256': `sha256=${signature}` }
    const answer = await fetch(reached.url + path, { method: 'POST', headers, body: text })
    expect(answer.status).toBe(200)
  }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const hello = { id: 'wamid.1', from: '628123', timestamp, type: 'text', text: { body: 'Hello?' } }
  const contacts = [{ profile: { name: 'Citra' }, wa_id: '628123' }]
  await bring({ contacts, messages: [hello] })
  await open(page, 'inbox/unassigned', reached)
  await row(page, 'Citra').click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  const answers = async (text: string) => {
    const before = graph.sent.length
    await page.getByRole('textbox', { name: 'Reply' }).fill(text)
    await page.keyboard.press('Enter')
    await expect.poll(() => graph.sent.length).toBe(before + 1)
    return { id: `wamid.out.${graph.sent.length}`, recipient_id: '628123', timestamp }
  }
  const message = (text: string) => page.getByRole('article').filter({ hasText: text })
  const first = await answers('The first answer')
  await expect(message('The first answer')).toContainText('· sent')
  await bring({ statuses: [{ ...first, status: 'read' }] })
  await expect(message('The first answer')).toContainText('· read')
  const second = await answers('The second answer')
  const errors = [{ code: 131026, title: 'Message undeliverable' }]
  await bring({ statuses: [{ ...second, status: 'failed', errors }] })
  await expect(message('The second answer')).toContainText('Not delivered.')
  await page.reload()
  await expect(message('The second answer')).toContainText('Not delivered.')
})

test('connecting a channel works with the keyboard alone', async ({ page }) => {
  await open(page, 'channels/connect/telegram')
  await field(page, 'Bot token').focus()
  await page.keyboard.type(TOKEN)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Shop bot is connected' })).toBeVisible()
  const link = page.getByRole('link', { name: 'Open the channel' })
  for (let at = 0; at < 8; at += 1) {
    if (await link.evaluate((it) => it === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await expect(link).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Shop bot', level: 1 })).toBeVisible()
})

test('only admins can open the channel screens', async ({ page }) => {
  const id = await bot()
  for (const email of [SARI.email, 'sup@example.com']) {
    await page.context().clearCookies()
    await signIn(page, server, { ...SARI, email })
    await expect(page.getByRole('link', { name: 'Channels', exact: true })).toHaveCount(0)
    for (const path of ['channels', 'channels/connect/telegram', `channels/${id}`]) {
      await page.goto(`${server.url}/dashboard/${path}`)
      await expect(page.getByRole('alert', { name: 'Your role has no access' })).toBeVisible()
    }
  }
})

test('a channel screen shows loading and failure', async ({ page }) => {
  const id = await bot()
  await signIn(page, server, admin(server))
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // The network is slow first, then broken; the server works.
  await page.route('**/api/v2/channels', async (route) => {
    await held
    await route.abort()
  })
  await page.goto(`${server.url}/dashboard/channels/${id}`)
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  release()
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await page.unroute('**/api/v2/channels')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'Our bot', level: 1 })).toBeVisible()
  // A failing provider is not reported as a failure of the server, and the input is kept.
  await page.goto(`${server.url}/dashboard/channels/connect/wa`)
  await field(page, 'Phone number ID').fill(Graph.NUMBER)
  await field(page, 'Access token').fill(graph.token)
  await field(page, 'App secret').fill(SECRET)
  await page.route('**/api/v2/wa/connect', (route) => route.abort())
  await connect(page).click()
  await expect(page.getByRole('alert')).toContainText('The server does not answer')
  await expect(field(page, 'App secret')).toHaveValue(SECRET)
})

for (const language of ['en', 'id'] as const) {
  test(`the provider channel screens are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(300_000)
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    const id = await bot()
    await signIn(page, server, admin(server))
    await page.goto(`${server.url}/dashboard/channels?lang=${language}`)
    await expect(page.getByRole('link', { name: 'Our bot' })).toBeVisible()
    await look('list')
    await page.goto(`${server.url}/dashboard/channels/connect/telegram`)
    await page.getByRole('button', { name: /^(Connect|Hubungkan)$/ }).click()
    await look('telegram')
    await page.goto(`${server.url}/dashboard/channels/connect/wa`)
    await expect(page.getByLabel('App secret')).toBeVisible()
    await look('whatsapp')
    for (const word of ['fb', 'ig']) {
      await page.goto(`${server.url}/dashboard/channels/connect/${word}`)
      await expect(page.getByRole('switch').first()).toBeVisible()
      await look(word)
    }
    telegram.hook = 'https://elsewhere.example/hook'
    await page.goto(`${server.url}/dashboard/channels/${id}`)
    await page.getByRole('button', { name: /^(Check now|Periksa sekarang)$/ }).click()
    await expect(page.getByText(/^(Why|Alasan): /)).toBeVisible()
    await look('channel')
    await signIn(page, reached, admin(reached))
    await page.goto(`${reached.url}/dashboard/channels/connect/wa?lang=${language}`)
    await page.getByLabel('Phone number ID').fill(Graph.NUMBER)
    await page.getByLabel(/^(Access token|Token akses)$/).fill(graph.token)
    await page.getByLabel('App secret').fill(SECRET)
    await page.getByRole('button', { name: /^(Connect|Hubungkan)$/ }).click()
    await expect(page.getByText(/^(Copy it now|Salin sekarang)/)).toBeVisible()
    await look('connected')
    expect(seen).toEqual({})
  })
}
