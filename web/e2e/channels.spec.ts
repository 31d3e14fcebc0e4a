import { execFileSync } from 'node:child_process'
import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, row, SARI, signIn } from './helpers/people'
import { freePort, Receiver, Server } from './helpers/server'

// Custom channels, and the bot that answers first.

let server: Server
let receiver: Receiver

test.beforeAll(async () => {
  server = await Server.start()
  receiver = await Receiver.start()
  await makeSari(server)
})

test.afterAll(async () => {
  receiver.stop()
  await server.stop()
})

async function open(page: Page, screen: string): Promise<void> {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/${screen}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const card = (page: Page, name: string) => page.getByRole('region', { name })

async function addChannel(page: Page, name: string, answers = ''): Promise<void> {
  await page.getByRole('button', { name: 'Add a channel' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('dialog').getByRole('textbox', { name: 'URL for replies' }).fill(answers)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(card(page, name)).toBeVisible()
}

async function keyOf(page: Page, name: string): Promise<string> {
  const shown = card(page, name)
  await shown.getByRole('button', { name: 'Show' }).click()
  const text = (await shown.locator('code:not(pre)').first().textContent()) ?? ''
  await shown.getByRole('button', { name: 'Hide' }).click()
  return text
}

/** Runs a copied code example with the interpreter of its language. */
function run(language: string, code: string, key: string): string {
  const env = { ...process.env, CHANNEL_KEY: key }
  const [program, flags] =
    language === 'curl'
      ? (['sh', ['-c', code]] as const)
      : language === 'Python'
        ? (['python3', ['-c', code]] as const)
        : (['node', ['--input-type=module', '-e', code]] as const)
  return execFileSync(program, flags, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

test('the code examples of a new channel post customer messages, and answers reach its webhook', async ({
  page,
}) => {
  await open(page, 'channels')
  await addChannel(page, 'SMS', receiver.url)
  const sms = card(page, 'SMS')
  await expect(
    sms.getByText(`${server.url}/${server.appId}/api/v2/custom_channel/send`).first(),
  ).toBeVisible()
  const key = await keyOf(page, 'SMS')
  expect(key.length).toBeGreaterThan(7)
  await expect(sms.getByText(key)).toHaveCount(0)
  for (const language of ['curl', 'JavaScript', 'Python']) {
    await sms.getByRole('tab', { name: language }).click()
    const code = (await sms.getByRole('tabpanel').locator('pre').textContent()) ?? ''
    expect(run(language, code, key), language).toContain('room_log')
  }
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Ana').click()
  await expect(page.getByRole('article')).toHaveCount(3)
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await page.getByRole('textbox', { name: 'Reply' }).fill('On its way')
  await page.keyboard.press('Enter')
  await expect.poll(() => receiver.bodies.join()).toContain('On its way')
})

test('a channel can be disabled, enabled, given a new key, and deleted while its rooms remain', async ({
  page,
}) => {
  await open(page, 'channels')
  await addChannel(page, 'Mail')
  const mail = card(page, 'Mail')
  const key = await keyOf(page, 'Mail')
  const room = await server.say(key, 'dian@example.com', 'Dian', 'Hello?')
  await mail.getByRole('switch', { name: 'Mail is on' }).press('Space')
  await expect(mail.getByText(/^Nothing comes in or goes out/)).toBeVisible()
  await expect(server.say(key, 'dian@example.com', 'Dian', 'Again?')).rejects.toThrow()
  await mail.getByRole('switch', { name: 'Mail is on' }).press('Space')
  await expect(mail.getByText(/^Nothing comes in or goes out/)).toHaveCount(0)
  await server.say(key, 'dian@example.com', 'Dian', 'And now?')
  await mail.getByRole('button', { name: 'New key' }).click()
  await expect(page.getByRole('dialog')).toContainText('The old key stops working')
  await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(mail).toContainText('The old key has stopped working')
  const fresh = (await mail.locator('code:not(pre)').first().textContent()) ?? ''
  await mail.getByRole('button', { name: 'Done' }).click()
  expect(await keyOf(page, 'Mail')).toBe(fresh)
  expect(fresh).not.toBe(key)
  await expect(server.say(key, 'dian@example.com', 'Dian', 'Old key')).rejects.toThrow()
  await mail.getByRole('textbox', { name: 'URL for replies' }).fill(receiver.url)
  await mail.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(mail.getByRole('textbox', { name: 'URL for replies' })).toHaveValue(receiver.url)
  await mail.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toContainText('Conversations and their messages stay')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(mail).toBeVisible()
  await mail.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(mail).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await expect(page.getByRole('article').getByText('And now?')).toBeVisible()
})

test('a channel can be tested in both directions before it has customers', async ({ page }) => {
  await open(page, 'channels')
  await addChannel(page, 'Tried')
  const tried = card(page, 'Tried')
  await expect(tried.getByRole('button', { name: 'Test out: Tried' })).toBeDisabled()
  const answersGoTo = async (url: string) => {
    const saved = page.waitForResponse((it) => it.request().method() === 'PUT')
    await tried.getByRole('textbox', { name: 'URL for replies' }).fill(url)
    await tried.getByRole('button', { name: 'Save' }).click()
    await saved
  }
  await answersGoTo(receiver.url)
  const told = receiver.bodies.length
  await tried.getByRole('button', { name: 'Test out: Tried' }).click()
  await expect(tried.getByText('The gateway received the example (200).')).toBeVisible()
  expect(receiver.bodies).toHaveLength(told + 1)
  await answersGoTo(`http://127.0.0.1:${await freePort()}/answers`)
  await tried.getByRole('button', { name: 'Test out: Tried' }).click()
  await expect(tried.getByText(/refused the connection\. It will be retried\./)).toBeVisible()
  await tried.getByRole('button', { name: 'Test in: Tried' }).click()
  await tried.getByRole('link', { name: 'Open the conversation' }).click()
  await expect(page.getByRole('article')).toHaveCount(1)
})

test('a rejected change shows the error and keeps the input', async ({ page }) => {
  await open(page, 'channels')
  await addChannel(page, 'Odd')
  const odd = card(page, 'Odd')
  await odd.getByRole('textbox', { name: 'URL for replies' }).fill('ftp://gateway.example.com')
  await odd.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('webhook_url')
  await expect(odd.getByRole('textbox', { name: 'URL for replies' })).toHaveValue(/^ftp:/)
  await page.context().setOffline(true)
  await odd.getByRole('switch', { name: 'Odd is on' }).press('Space')
  await expect(page.getByRole('alert').last()).toBeVisible()
  await page.context().setOffline(false)
  await expect(odd.getByRole('switch', { name: 'Odd is on' })).toBeChecked()
  // Leaving with unsaved changes asks first.
  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('link', { name: 'Set up the widget' }).click()
  await expect(page.getByRole('heading', { name: 'Widget', level: 1 })).toBeVisible()
})

test('the bot gets its URL, is enabled and disabled, and hands over to agents', async ({
  page,
}) => {
  await open(page, 'bot')
  const on = page.getByRole('switch', { name: 'The bot is on' })
  await expect(on).toBeDisabled()
  await page.getByRole('textbox', { name: 'URL of the bot' }).fill(receiver.url)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.getByRole('button', { name: 'Test the bot' }).click()
  await expect(page.getByText('The receiver accepted the example (200)')).toBeVisible()
  const life = page.getByRole('figure', { name: 'The life of a conversation' })
  await expect(life.getByRole('listitem')).toHaveCount(3)
  await on.press('Space')
  await expect(on).toBeChecked()
  await expect(life.getByRole('listitem').first()).toContainText('With the bot')
  await page.reload()
  await expect(on).toBeChecked()
  await server.channel('bot-gateway')
  const room = await server.say('bot-gateway', '62899', 'Rina', 'Are you a bot?')
  await expect.poll(() => receiver.bodies.join()).toContain('Are you a bot?')
  const shown = async () =>
    JSON.stringify(await server.call('GET', `/api/v2/customer_rooms/${room}`))
  expect(await shown()).toContain('"is_handled_by_bot":true')
  await server.call('POST', `/bot/${room}/activate`, { is_active: false })
  expect(await shown()).toContain('"is_handled_by_bot":false')
  await server.say('bot-gateway', '62899', 'Rina', 'Only for people')
  const all = page.getByRole('switch', { name: 'The bot receives all messages' })
  await all.press('Space')
  await expect(all).toBeChecked()
  await server.say('bot-gateway', '62899', 'Rina', 'For everybody')
  await expect.poll(() => receiver.bodies.join()).toContain('For everybody')
  await on.press('Space')
  await expect(on).not.toBeChecked()
  await expect(life.getByRole('listitem')).toHaveCount(3)
})

test('agents cannot open the channel and bot screens', async ({ page }) => {
  await signIn(page, server, SARI)
  for (const [name, path] of [
    ['Channels', 'channels'],
    ['Bot', 'bot'],
  ] as const) {
    await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
    await page.goto(`${server.url}/dashboard/${path}`)
    await expect(page.getByRole('alert', { name: 'Your role has no access' })).toBeVisible()
  }
})

test('the channel and bot screens show loading and failure', async ({ page }) => {
  await signIn(page, server, admin(server))
  for (const [path, asked] of [
    ['channels', '**/api/v2/custom_channels'],
    ['bot', '**/api/v1/app/bot'],
  ] as const) {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    // The network is slow first, then broken; the server works.
    await page.route(asked, async (route) => {
      await held
      await route.abort()
    })
    await page.goto(`${server.url}/dashboard/${path}`)
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
    release()
    await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
    await page.unroute(asked)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
  }
})

for (const language of ['en', 'id'] as const) {
  test(`the channel and bot screens are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(240_000)
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    await open(page, 'channels')
    if (language === 'en') await addChannel(page, 'Looked at')
    await page.goto(`${server.url}/dashboard/channels?lang=${language}`)
    const looked = card(page, 'Looked at')
    await looked.getByRole('button', { name: /Show|Tampilkan/ }).click()
    await looked.getByRole('button', { name: /^(Test in|Uji masuk)/ }).click()
    await expect(looked.getByRole('link')).toBeVisible()
    await look('channels')
    await looked.getByRole('button', { name: /Delete|Hapus/ }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('the dialogue')
    await page.goto(`${server.url}/dashboard/bot`)
    await expect(page.getByRole('figure')).toBeVisible()
    await look('bot')
    expect(seen).toEqual({})
  })
}
