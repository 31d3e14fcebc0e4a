import { expect, type Page, test } from '@playwright/test'
import { admin, makeSari, SARI, signIn } from './helpers/people'
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

const open = async (page: Page) => {
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Webhooks', level: 1 })).toBeVisible()
}

const kind = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('an app without webhooks sees the available kinds', async ({ page }) => {
  await open(page)
  await expect(page.getByText('There are no webhooks yet')).toBeVisible()
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(9)
  await expect(kind(page, 'Resolved')).toContainText('A conversation is resolved.')
})

test('a webhook URL is added, tested, paused and resumed', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Add a URL: Resolved' }).click()
  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
  await page.getByRole('button', { name: 'Save' }).click()
  const resolved = kind(page, 'Resolved')
  await expect(resolved).toContainText(receiver.url)
  await expect(resolved).toContainText('Works')
  await resolved.getByRole('button', { name: 'Test: Resolved' }).click()
  await expect(resolved.getByText('The receiver accepted the example (200)')).toBeVisible()
  expect(receiver.bodies).toHaveLength(1)
  await resolved.getByRole('button', { name: 'Pause: Resolved' }).click()
  await expect(resolved.getByText('Paused', { exact: true })).toBeVisible()
  await expect(resolved).toContainText('wait here until you resume')
  await resolved.getByRole('button', { name: 'Resume: Resolved' }).click()
  await expect(resolved.getByText('Works')).toBeVisible()
})

test('the limits of an endpoint are changed, and it is disabled and enabled', async ({ page }) => {
  await server.call('PUT', '/api/v2/webhooks/endpoints/bot', { url: receiver.url })
  await open(page)
  const bot = kind(page, 'Bot')
  await bot.getByRole('button', { name: 'Change: Bot' }).click()
  await page.getByRole('spinbutton', { name: 'Attempts per second' }).fill('50')
  await page.getByRole('checkbox', { name: 'Switched on' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(bot).toContainText('50 per second')
  await expect(bot).toContainText('No deliveries are created for it')
  await bot.getByRole('button', { name: 'Switch on: Bot' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(bot.getByText('Works')).toBeVisible()
})

test('a forbidden URL shows the setting that allows it', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Add a URL: Bot' }).click()
  await page.getByRole('textbox', { name: 'URL' }).fill('http://10.9.8.7:8080/hook')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('--webhook-allow 10.9.8.7:8080')
})

test('a failing endpoint is shown with the reason', async ({ page }) => {
  const gone = receiver.url
  receiver.stop()
  await server.call('PUT', '/api/v2/webhooks/endpoints/chat_message', { url: gone })
  await server.channel('sms-gateway')
  for (let at = 0; at < 12; at++) await server.say('sms-gateway', `6281${at}`, 'Ana', 'Hello?')
  await open(page)
  const every = kind(page, 'Every message')
  await expect(every.getByText('Failing')).toBeVisible({ timeout: 30_000 })
  await expect(every).toContainText('The receiver refused the connection.')
  await expect(every).toContainText('12 wait')
})

test('agents cannot open the webhook screen', async ({ page }) => {
  await makeSari(server)
  await signIn(page, server, SARI)
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/webhooks`)
  await expect(page.getByRole('alert')).toContainText('Only admins may open this page.')
})
