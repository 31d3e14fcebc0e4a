// The dashboard behind a proxy without WebSockets: server-sent events update everything, including
// the open conversation.
import { expect, test } from '@playwright/test'
import { CuttingProxy } from './helpers/cutting_proxy'
import { admin, makeSari, row, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

// Every test signs in and takes a customer first.
test.setTimeout(180_000)

let server: Server
let proxy: CuttingProxy

test.beforeAll(async () => {
  server = await Server.start()
  proxy = await CuttingProxy.start(server.url)
  proxy.passesSockets = false
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
})

test.afterAll(async () => {
  proxy.stop()
  await server.stop()
})

test('behind a proxy without WebSockets, an open conversation is updated by events', async ({
  page,
  browser,
}) => {
  await signIn(page, proxy)
  const isOnEvents = page.getByText('the page uses events instead')
  await expect(isOnEvents).toBeVisible({ timeout: 30_000 })
  const opened = page.waitForResponse(/\/inbox\/live\?room_id=/)
  await take(page, proxy, 'Ana Lopez')
  // The page was reloaded, and tries WebSockets first again.
  await opened
  await expect(isOnEvents).toBeVisible({ timeout: 30_000 })
  const room = page.url().split('/').at(-1) ?? ''

  // A message of the customer appears once.
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'It was promised for today.')
  await expect(page.getByRole('article').getByText('It was promised for today.')).toHaveCount(1)

  // The agent's own reply appears, and a colleague's.
  await page.getByRole('textbox', { name: 'Reply' }).fill('Let me look.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('Let me look.')).toHaveCount(1)
  const colleague = await (await browser.newContext()).newPage()
  await signIn(colleague, server, admin(server))
  await colleague.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await colleague.getByRole('button', { name: 'Join' }).click()
  const theirs = colleague.getByRole('textbox', { name: 'Reply' })
  // The typing indicator and the message of the colleague appear.
  await theirs.pressSequentially('It is on its way')
  await expect(page.getByText('Admin is typing…')).toBeVisible()
  await colleague.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('It is on its way')).toHaveCount(1)

  // Both agents' lists mark the conversation as seen.
  await page.goto(`${proxy.url}/dashboard/inbox/mine`)
  await expect(row(page, 'Ana Lopez')).toHaveAttribute('data-is-seen', 'true')
})
