import { expect, test } from '@playwright/test'
import { CuttingProxy } from './helpers/cutting_proxy'
import { admin, makeSari, row, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
})

test.afterAll(() => server.stop())

test('a bar reports that the server is unreachable until it responds again', async ({ page }) => {
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/inbox/all`)
  await expect(row(page, 'Ana Lopez')).toBeVisible()
  await server.kill('SIGKILL')
  const bar = page.getByText('The server does not answer. This page may be outdated')
  await expect(bar).toBeVisible({ timeout: 25_000 })
  await expect(row(page, 'Ana Lopez')).toBeVisible()
  await server.startAgain()
  await page.getByRole('button', { name: 'Try now' }).click()
  await expect(bar).toHaveCount(0)
})

test('a bar reports that the browser is offline', async ({ page, context }) => {
  await signIn(page, server)
  await context.setOffline(true)
  const bar = page.getByText('You are offline.')
  await expect(bar).toBeVisible({ timeout: 25_000 })
  await context.setOffline(false)
  await expect(bar).toHaveCount(0, { timeout: 40_000 })
})

test('behind a proxy without WebSockets, events deliver updates and a bar reports it', async ({
  page,
}) => {
  const proxy = await CuttingProxy.start(server.url)
  proxy.passesSockets = false
  try {
    await signIn(page, proxy)
    await page.goto(`${proxy.url}/dashboard/inbox/all`)
    const bar = page.getByText('A proxy blocks WebSockets')
    await expect(bar).toBeVisible({ timeout: 25_000 })
    await server.say('sms-gateway', '62811', 'Ana Lopez', 'Is anybody there?')
    await expect(row(page, 'Ana Lopez')).toContainText('Is anybody there?')
    await page.getByRole('button', { name: 'Got it' }).click()
    await expect(bar).toHaveCount(0)
  } finally {
    await page.close()
    proxy.stop()
  }
})

test('a newer version of the page is offered when the server has one', async ({ page }) => {
  await page.routeWebSocket(/inbox\/live/, (socket) => {
    const real = socket.connectToServer()
    real.onMessage((text) => {
      const frame = JSON.parse(String(text))
      if (frame.type === 'hello') frame.data.version = '99.0.0'
      socket.send(JSON.stringify(frame))
    })
  })
  await signIn(page, server)
  await expect(page.getByText('A new version (99.0.0)')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible()
})

test('a missing script reloads the page once', async ({ page }) => {
  let asked = 0
  await page.route(/assets\/AccountScreen-.*\.js/, (route) => {
    asked += 1
    return asked <= 2 ? route.abort() : route.continue()
  })
  await signIn(page, server)
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()
  expect(asked).toBe(3)
})

test('a part requested while the server is unreachable loads once it responds', async ({
  page,
}) => {
  await signIn(page, server)
  await server.kill('SIGKILL')
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await expect(page.getByText(/server/).first()).toBeVisible()
  await server.startAgain()
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()
})

test('a part that fails to load shows an error in its place, not an empty page', async ({
  page,
}) => {
  await page.route(/assets\/AccountScreen-.*\.js/, (route) => route.abort())
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/me`)
  await expect(page.getByRole('alert')).toContainText('The page failed')
})

test('an error shows the request id for the operator', async ({ page }) => {
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/inbox/all/123456789`)
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('Request')
  await expect(alert.getByRole('button', { name: 'Copy' })).toBeVisible()
})

test('an agent taken offline by an admin is notified', async ({ page }) => {
  await signIn(page, server)
  const agents = await server.call('GET', '/api/v2/admin/agents?limit=100')
  const people = (agents as unknown as { data: { agents: { id: number; name: string }[] } }).data
  const sari = people.agents.find((it) => it.name === 'Sari Dewi')
  const path = `/api/v2/admin/agent/${sari?.id}/set_force_offline`
  await server.call('POST', path, { force_offline: true })
  await page.reload()
  await expect(page.getByText('An admin took you offline. You get no new customers')).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Available' })).toBeDisabled()
})

test('too many failed sign-ins show a countdown', async ({ page }) => {
  await page.goto(`${server.url}/dashboard/`)
  const { email } = admin(server)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  const wait = page.getByText(/Try again in \d+ seconds?/)
  for (let status = 0; status !== 429; ) {
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong password')
    const answer = page.waitForResponse(/api\/v2\/sign_in/)
    await page.getByRole('button', { name: 'Sign in' }).click()
    status = (await answer).status()
  }
  await expect(wait).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled()
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await expect(page.getByText(`confab user reset-password ${email}`)).toBeVisible()
})
