// A proxy that passes no WebSockets: everything comes by server-sent events, in the conversation on
// screen, too.
import { expect, test } from '@playwright/test'
import { CuttingProxy } from './cutting_proxy'
import { admin, makeSari, row, signIn, take } from './people'
import { Server } from './server'

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

test('where no socket gets through, an open conversation lives by events', async ({
  page,
  browser,
}) => {
  await signIn(page, proxy)
  const isOnEvents = page.getByText('the page uses events instead')
  await expect(isOnEvents).toBeVisible({ timeout: 30_000 })
  const opened = page.waitForResponse(/\/inbox\/live\?room_id=/)
  await take(page, proxy, 'Ana Lopez')
  // The page was loaded anew, and tries sockets first again.
  await opened
  await expect(isOnEvents).toBeVisible({ timeout: 30_000 })
  const room = page.url().split('/').at(-1) ?? ''

  // What the customer says arrives, and once.
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'It was promised for today.')
  await expect(page.getByRole('article').getByText('It was promised for today.')).toHaveCount(1)

  // One's own answer arrives, and a colleague's.
  await page.getByRole('textbox', { name: 'Reply' }).fill('Let me look.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('Let me look.')).toHaveCount(1)
  const colleague = await (await browser.newContext()).newPage()
  await signIn(colleague, server, admin(server))
  await colleague.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await colleague.getByRole('button', { name: 'Join' }).click()
  const theirs = colleague.getByRole('textbox', { name: 'Reply' })
  // They are seen to write, and what they wrote is read.
  await theirs.pressSequentially('It is on its way')
  await expect(page.getByText('Admin is writing…')).toBeVisible()
  await colleague.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('It is on its way')).toHaveCount(1)

  // What was seen is marked as seen, in the colleague's list as in one's own.
  await page.goto(`${proxy.url}/dashboard/inbox/mine`)
  await expect(row(page, 'Ana Lopez')).toHaveAttribute('data-is-seen', 'true')
})
