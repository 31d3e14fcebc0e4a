import { expect, type Page, test } from '@playwright/test'
import { admin, makeSari, requests, row, SARI, signIn, take } from './people'
import { Server } from './server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
})

test.afterAll(() => server.stop())

/** How often a page asked whether its connection stands, and was told so. */
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

test('an idle tab asks for nothing in five minutes', async ({ page }) => {
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
    // The clock of the page runs ahead; the server answers in its own time.
    await expect.poll(() => pings.answered).toBe(pings.asked)
  }
  expect(pings.asked).toBeGreaterThan(4)
  expect(made).toEqual([])
})

test('a message costs no request where another conversation is open', async ({ page }) => {
  await signIn(page, server, SARI)
  await page.goto(`${server.url}/dashboard/inbox/all`)
  // What stands beside the conversation is asked for on its own, a moment later.
  const beside = ['/properties', '/infos', '/tags?', '/notes?', '/trail?', '/conversations?']
  const known = beside.map((part) => page.waitForResponse((it) => it.url().includes(part)))
  await row(page, 'Ana Lopez').click()
  await expect(page.getByRole('article').first()).toBeVisible()
  await Promise.all(known)
  const made = requests(page)
  await server.say('sms-gateway', '62822', 'Dian', 'Is anybody there?')
  await expect(row(page, 'Dian')).toContainText('Is anybody there?')
  // Parts of the page that come late are no cost of the message.
  expect(made.filter((it) => !it.includes('/assets/'))).toEqual([])
})

test('what waits for a paused endpoint is asked for more and more seldom', async ({ page }) => {
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
  // The live tail waits at the server; here it is about the list.
  await page.getByRole('switch', { name: 'Live' }).press('Space')
  const made = requests(page)
  let open = 0
  page.on('request', () => (open += 1))
  page.on('requestfinished', () => (open -= 1))
  page.on('requestfailed', () => (open -= 1))
  const runFor = async (minutes: number) => {
    for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
      await page.clock.runFor(5000)
      // The clock of the page runs ahead; the server answers in its own time.
      await expect.poll(() => open).toBeLessThanOrEqual(0)
      await expect.poll(() => pings.answered).toBeGreaterThanOrEqual(pings.asked)
    }
    return made.splice(0)
  }
  expect((await runFor(12)).length).toBeLessThan(24)
  expect(await runFor(5)).toEqual([])
  await page.goto(`${server.url}/dashboard/webhooks`)
  await expect(page.getByText('https://bot.example.com/hook')).toBeVisible()
  // Parts of the page come late, and ask then.
  await runFor(2)
  expect(await runFor(5)).toEqual([])
})
