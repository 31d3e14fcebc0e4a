import { expect, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, row, signIn } from './helpers/people'
import { Receiver, Server } from './helpers/server'

let server: Server
let receiver: Receiver

test.beforeEach(async () => {
  server = await Server.start()
  receiver = await Receiver.start()
})

test.afterEach(async () => {
  receiver.stop()
  await server.stop()
})

const register = (kind: string) =>
  server.call('PUT', `/api/v2/webhooks/endpoints/${kind}`, { url: receiver.url })

test('an example delivery is sent, shown, and replayed byte for byte', async ({ page }) => {
  await register('mark_as_resolved')
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await expect(page.getByText('No deliveries in this period')).toBeVisible()
  await page.getByRole('button', { name: 'Send an example' }).click()
  await page.getByRole('combobox', { name: 'Kind' }).last().selectOption('mark_as_resolved')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await row(page, 'Resolved').click()
  const view = page.getByRole('region', { name: /^Delivery \d+/ })
  await expect(view).toContainText('Delivered')
  await expect(view).toContainText('Attempt 1 · 200')
  await expect(view).toContainText('in total')
  await expect(view).toContainText('"is_resolved":true')
  await view.getByRole('button', { name: 'Replay' }).click()
  await expect(view).toContainText('Attempt 2 · 200')
  expect(receiver.bodies).toHaveLength(2)
  expect(receiver.bodies[1]).toBe(receiver.bodies[0])
  await view.getByRole('combobox', { name: 'Language' }).selectOption('PHP')
  await expect(view).toContainText('hash_hmac')
})

test('new deliveries appear live, and the URL contains the filter', async ({ page }) => {
  await register('chat_message')
  await server.channel('sms-gateway')
  await signIn(page, server, admin(server))
  const listening = page.waitForRequest(/webhooks\/listen\?after=/, { timeout: 60_000 })
  await page.goto(`${server.url}/dashboard/webhooks/deliveries`)
  await expect(page.getByText('No deliveries in this period')).toBeVisible()
  await listening
  await server.say('sms-gateway', '62811', 'Ana', 'Hello?')
  await expect(row(page, 'Every message')).toBeVisible({ timeout: 30_000 })
  // Deliveries created while the live tail was off appear when it is on again.
  const live = page.getByRole('switch', { name: 'Live' })
  await live.press('Space')
  await server.call('POST', '/api/v2/webhooks/trigger', { kind: 'chat_message' })
  await live.press('Space')
  await expect(row(page, 'Every message')).toHaveCount(2)
  await page.getByRole('combobox', { name: 'State' }).selectOption('failed')
  await expect(page).toHaveURL(/\?standing=failed$/)
  await expect(page.getByText('No deliveries in this period')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(row(page, 'Every message')).toHaveCount(2)
})

test('matching deliveries are counted first, then replayed', async ({ page }) => {
  await register('bot')
  for (let at = 0; at < 3; at++) {
    await server.call('POST', '/api/v2/webhooks/trigger', { kind: 'bot' })
  }
  await expect.poll(() => receiver.bodies.length).toBe(3)
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/webhooks/deliveries?standing=delivered`)
  await expect(row(page, 'Bot')).toHaveCount(3)
  await page.getByRole('button', { name: 'Replay all that match' }).click()
  const dialogue = page.getByRole('dialog')
  await expect(dialogue).toContainText('3 deliveries are sent again, the oldest first.')
  await dialogue.getByRole('button', { name: 'Replay' }).click()
  await expect(page.getByText('3 deliveries are being sent again.')).toBeVisible()
  await expect.poll(() => receiver.bodies.length).toBe(6)
})

test('checking a signature that matches no key shows the reason', async ({ page }) => {
  await register('bot')
  await server.call('POST', '/api/v2/webhooks/trigger', { kind: 'bot' })
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/webhooks/deliveries`)
  await row(page, 'Bot').click()
  await page.getByRole('textbox', { name: 'Header' }).fill('bm90IGEgc2lnbmF0dXJl')
  await page.getByRole('button', { name: 'Check' }).click()
  await expect(page.getByText('No key matches.')).toBeVisible()
})

for (const language of ['en', 'id']) {
  test(`the delivery and signature screens are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(180_000)
    await register('bot')
    await server.call('POST', '/api/v2/webhooks/trigger', { kind: 'bot' })
    await signIn(page, server, admin(server))
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    await page.goto(`${server.url}/dashboard/webhooks?lang=${language}`)
    await expect(page.getByText(receiver.url)).toBeVisible()
    await look('webhooks')
    await page
      .getByRole('button', { name: /^(Change|Ubah)/ })
      .first()
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('an endpoint')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /^(Remove|Hapus)/ })
      .first()
      .click()
    await expect(page.getByRole('dialog').getByRole('button').nth(1)).toBeFocused()
    await look('removing an endpoint')
    await page.goto(`${server.url}/dashboard/webhooks/deliveries`)
    await row(page, 'Bot').click()
    await expect(page.getByText(/ · 200/)).toBeVisible()
    await look('a delivery')
    await page.goto(`${server.url}/dashboard/webhooks/deliveries?standing=delivered`)
    await page.getByRole('button', { name: /^(Send an example|Kirim contoh)/ }).click()
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible()
    await look('an example')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^(Replay all|Kirim ulang semua)/ }).click()
    await expect(page.getByRole('dialog')).toContainText(/1/)
    await look('sending all again')
    await page.goto(`${server.url}/dashboard/webhooks/deliveries?standing=failed`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('.centre').first()).toBeVisible()
    await look('no deliveries')
    expect(seen).toEqual({})
  })
}
