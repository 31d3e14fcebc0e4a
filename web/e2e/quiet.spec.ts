import { expect, type Page, test } from '@playwright/test'
import { admin, makeSari, requests, row, SARI, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
})

test.afterAll(() => server.stop())

/** Counts the pings of a page's WebSocket and their responses. */
function pingsOf(page: Page) {
  const pings = { asked: 0, answered: 0 }
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"ping"')) pings.asked += 1
    })
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"pong"')) pings.answered += 1
    })
  })
  return pings
}

test('an idle tab makes no requests in five minutes', async ({ page }) => {
  test.slow()
  await page.clock.install()
  const pings = pingsOf(page)
  await signIn(page, server, SARI)
  await take(page, server, 'Ana Lopez')
  await expect(page.getByRole('article').first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  const made = requests(page)
  for (let seconds = 0; seconds < 300; seconds += 5) {
    await page.clock.runFor(5000)
    // The page's clock is accelerated; the server responds in real time.
    await expect.poll(() => pings.answered).toBe(pings.asked)
  }
  expect(pings.asked).toBeGreaterThan(4)
  expect(made).toEqual([])
})

test('a message causes no request while another conversation is open', async ({ page }) => {
  await signIn(page, server, SARI)
  await page.goto(`${server.url}/dashboard/inbox/all`)
  // The parts next to the conversation are requested separately, a moment later.
  const beside = ['/properties', '/infos', '/tags?', '/notes?', '/trail?', '/conversations?']
  const known = beside.map((part) => page.waitForResponse((it) => it.url().includes(part)))
  await row(page, 'Ana Lopez').click()
  await expect(page.getByRole('article').first()).toBeVisible()
  await Promise.all(known)
  const made = requests(page)
  await server.say('sms-gateway', '62822', 'Dian', 'Is anybody there?')
  await expect(row(page, 'Dian')).toContainText('Is anybody there?')
  // Lazily loaded scripts do not count.
  expect(made.filter((it) => !it.includes('/assets/'))).toEqual([])
})

test('pending deliveries of a paused endpoint are polled less and less often', async ({ page }) => {
  test.slow()
  await server.call('PUT', '/api/v2/webhooks/endpoints/bot', {
    url: 'https://bot.example.com/hook',
  })
  const listed = (await server.call('GET', '/api/v2/webhooks/endpoints')) as unknown as {
    data: { endpoints: { id: string; kind: string }[] }
  }
  const id = listed.data.endpoints.find(({ kind }) => kind === 'bot')?.id
  await server.call('POST', `/api/v2/webhooks/endpoints/${id}/pause`)
  await server.call('POST', '/api/v2/webhooks/trigger', { kind: 'bot' })
  await signIn(page, server, admin(server))
  await page.clock.install()
  const pings = pingsOf(page)
  await page.goto(`${server.url}/dashboard/webhooks/deliveries`)
  await expect(row(page, 'Bot')).toBeVisible()
  // Disable the live tail's long polling: the test is about the list.
  await page.getByRole('switch', { name: 'Live' }).press('Space')
  const made = requests(page)
  let open = 0
  page.on('request', () => (open += 1))
  page.on('requestfinished', () => (open -= 1))
  page.on('requestfailed', () => (open -= 1))
  const runFor = async (minutes: number) => {
    for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
      await page.clock.runFor(5000)
      // The page's clock is accelerated; the server responds in real time.
      await expect.poll(() => open).toBeLessThanOrEqual(0)
      await expect.poll(() => pings.answered).toBeGreaterThanOrEqual(pings.asked)
    }
    return made.splice(0)
  }
  expect((await runFor(12)).length).toBeLessThan(24)
  expect(await runFor(5)).toEqual([])
  await page.goto(`${server.url}/dashboard/webhooks`)
  await expect(page.getByText('https://bot.example.com/hook')).toBeVisible()
  // Lazily loaded scripts make requests when they arrive.
  await runFor(2)
  expect(await runFor(5)).toEqual([])
})
