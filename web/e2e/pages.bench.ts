// Speed of the pages, compared with the best case of the same browser and server in the same run.
// Run by `make bench`. No test fails because of a time.
import { type Browser, expect, type Page, test } from '@playwright/test'
import { crowd, times } from './helpers/crowd'
import { at, firstPaint, firstRow, frames, heap, median, opened, say } from './helpers/measure'
import { admin, row, signIn } from './helpers/people'
import { isOnPostgres, Postgres } from './helpers/postgres'
import { Server } from './helpers/server'

const CUSTOMERS = Number(process.env.CONFAB_MANY ?? 10_000)
const ACTIONS = Number(process.env.CONFAB_ACTIONS ?? 500)
const RUNS = 5
const CHANNEL = 'sms-gateway'

let postgres: Postgres | null = null
let server: Server

test.describe.configure({ mode: 'serial', timeout: 1_200_000, retries: 0 })

test.beforeAll(async () => {
  postgres = isOnPostgres ? await Postgres.start() : null
  server = await Server.start(...(postgres ? ['--database-url', postgres.url] : []))
  await crowd(server, CHANNEL, CUSTOMERS)
})

test.afterAll(async () => {
  await server.stop()
  await postgres?.stop()
})

const all = () => `${server.url}/dashboard/inbox/all`

test('first page load', async ({ browser, page }) => {
  await signIn(page, server, admin(server))
  const signedIn = await page.context().storageState()
  const bare: number[] = []
  const cold = { paint: [] as number[], row: [] as number[] }
  const warm = { paint: [] as number[], row: [] as number[] }
  for (let run = 0; run < RUNS; run += 1) {
    const context = await browser.newContext({ storageState: signedIn })
    const fresh = await context.newPage()
    // The ceiling: the load time of a page without content.
    await fresh.goto(`${server.url}/health`)
    bare.push(await firstPaint(fresh))
    // Browsers cache compiled scripts after the second visit, so the third visit is the warm one.
    for (const figures of [cold, null, warm]) {
      await fresh.goto(all(), { waitUntil: 'commit' })
      const taken = { row: await firstRow(fresh), paint: await firstPaint(fresh) }
      figures?.row.push(taken.row)
      figures?.paint.push(taken.paint)
    }
    await context.close()
  }
  const beside = `a bare page ${median(bare).toFixed(0)} ms`
  say('first paint, nothing cached', median(cold.paint), 800, 'ms', beside)
  say('list with data, nothing cached', median(cold.row), 1000)
  say('first paint, cached', median(warm.paint), 500)
  say('list with data, cached', median(warm.row), 500)
})

test('opening conversations', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(all())
  await expect(row(page, 'Customer').first()).toBeVisible()
  const links = await page
    .getByRole('list', { name: 'Conversations' })
    .getByRole('link')
    .evaluateAll((all) =>
      all.slice(0, 8).map((it) => [it.getAttribute('href'), it.textContent ?? ''] as const),
    )
  const conversations = links.map(
    ([href, text]) => [href ?? '', /Message \d+\./.exec(text)?.[0] ?? 'Message'] as const,
  )
  const openAll = async () => {
    const taken: number[] = []
    for (const [href, words] of conversations) taken.push(await opened(page, href, words))
    return median(taken)
  }
  say('open a conversation', await openAll(), 250)
  say('open a conversation seen before', await openAll(), 100)
})

test('from key press to drawn letter', async ({ page }) => {
  await signIn(page, server, admin(server))
  await serveOne(page)
  const reply = page.getByRole('textbox', { name: 'Reply' })
  await reply.focus()
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(window, { durationsOfKeys: seen })
    const watch = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') seen.push(entry.duration)
    })
    // Events faster than 16 ms are not reported: they were drawn with the next frame.
    watch.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  })
  const words = 'The parcel left our house this morning and is on its way to you. '.repeat(2)
  await reply.pressSequentially(words, { delay: 30 })
  const told = await page.evaluate(
    () => (window as unknown as { durationsOfKeys: number[] }).durationsOfKeys,
  )
  const quick = Array.from({ length: Math.max(0, words.length - told.length) }, () => 16)
  say('key to glyph, p95', at([...told, ...quick], 0.95), 50)
})

test('two agents on one node', async ({ browser }) => {
  await twoPeople(browser, server, server, 'two agents, one node, p99', 200)
})

test('two agents on two nodes', async ({ browser }) => {
  test.skip(!isOnPostgres, 'several nodes need PostgreSQL')
  const other = await server.beside()
  await twoPeople(browser, server, other, 'two agents, two nodes, p99', 400)
  await other.stop()
})

test('ten thousand conversations and messages', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(all())
  await expect(row(page, 'Customer').first()).toBeVisible()
  await page.getByRole('list', { name: 'Conversations' }).locator('..').hover()
  const resting = await frames(page, 2)
  const measured = frames(page, 5)
  for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, 2000)
  const { times: taken, longTasks } = await measured
  const beside = `at rest ${median(resting.times).toFixed(1)} ms`
  say('scrolling, a frame, median', median(taken), 16.7, 'ms', beside)
  say('scrolling, longest task', Math.max(0, ...longTasks), 50)
  const busy = await server.say(CHANNEL, 'busy', 'Busy', 'The first of many')
  await page.goto(`${all()}/${busy}`)
  await expect(page.getByRole('article').first()).toBeVisible()
  await times(CUSTOMERS, (number) => server.say(CHANNEL, 'busy', 'Busy', `More ${number}`))
  await expect(page.getByText(`More ${CUSTOMERS - 1}`, { exact: true }).first()).toBeVisible()
  say(`heap after ${CUSTOMERS} messages`, await heap(page), 150, 'MB')
})

/** Takes the first waiting customer. */
async function serveOne(page: Page): Promise<string> {
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Customer').first().click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
  return /\/(\d+)(?:\?|$)/.exec(page.url())?.[1] ?? ''
}

/** Measures the time from one agent's post until it is visible on the other's screen. */
async function twoPeople(browser: Browser, one: Server, other: Server, what: string, aim: number) {
  const writer = await (await browser.newContext()).newPage()
  const reader = await (await browser.newContext()).newPage()
  await signIn(writer, one, admin(server))
  const room = await serveOne(writer)
  await signIn(reader, other, admin(server))
  await reader.goto(`${other.url}/dashboard/inbox/all/${room}`)
  await expect(reader.getByRole('article').first()).toBeVisible()
  await reader.evaluate(() => {
    const seen: Record<string, number> = {}
    Object.assign(window, { seenAt: seen })
    new MutationObserver(() => {
      for (const article of document.querySelectorAll('[role=article], article')) {
        const word = /action-\d+-/.exec(article.textContent ?? '')?.[0]
        if (word !== undefined) seen[word] ??= Date.now()
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  const reply = writer.getByRole('textbox', { name: 'Reply' })
  await writer.evaluate(() => {
    const pressed: number[] = []
    Object.assign(window, { pressedAt: pressed })
    addEventListener('keydown', (event) => event.key === 'Enter' && pressed.push(Date.now()), true)
  })
  for (let action = 0; action < ACTIONS; action += 1) {
    await reply.fill(`action-${action}-`)
    await reply.press('Enter')
    // Wait for each message before posting the next, so that no backlog is measured.
    await reader.waitForFunction(
      (word) => (window as unknown as { seenAt: Record<string, number> }).seenAt[word],
      `action-${action}-`,
    )
  }
  const pressed = await writer.evaluate(
    () => (window as unknown as { pressedAt: number[] }).pressedAt,
  )
  const seen = await reader.evaluate(
    () => (window as unknown as { seenAt: Record<string, number> }).seenAt,
  )
  const taken = pressed.map((then, action) => (seen[`action-${action}-`] ?? Date.now()) - then)
  say(what, at(taken, 0.99), aim, 'ms', `median ${median(taken).toFixed(0)} ms of ${ACTIONS}`)
  await writer.context().close()
  await reader.context().close()
}
