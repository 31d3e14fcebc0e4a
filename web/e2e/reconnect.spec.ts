import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { CuttingProxy } from './helpers/cutting_proxy'
import { admin, makeSari, row, signIn, take } from './helpers/people'
import { isOnPostgres, Postgres } from './helpers/postgres'
import { Server } from './helpers/server'

/** Number of messages in each direction. */
const COUNT = Number(process.env.CONFAB_RECONNECT ?? 200)

// Recording hundreds of steps would take longer than the steps.
test.use({ trace: 'off' })

const ENGINES = isOnPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']
for (const engine of ENGINES) {
  test.describe(`on ${engine}`, () => {
    let server: Server
    let database: Postgres | null = null

    test.beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await Postgres.start() : null
      server = await Server.start(...(database ? ['--database-url', database.url] : []))
      await makeSari(server)
      await server.channel('sms-gateway')
      await server.say('sms-gateway', '62811', 'Ana Lopez', 'The beginning')
    })

    test.afterAll(async () => {
      await server.stop()
      await database?.stop()
    })

    test('two kills and a network outage lose no message and duplicate none', async ({
      page,
      context,
      browser,
    }) => {
      test.setTimeout(600_000)
      await signIn(page, server)
      await take(page, server, 'Ana Lopez')
      const room = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const office = await (await browser.newContext()).newPage()
      await signIn(office, server, admin(server))
      await office.goto(`${server.url}/dashboard/inbox/all/${room}`)
      await expect(office.getByRole('article').first()).toBeVisible()

      const customer = customerWrites(server)
      const agent = agentWrites(page)
      // No timeout on slow machines: the timeout of the whole test applies.
      const slow = { timeout: 0 }
      await expect.poll(customer.written, slow).toBeGreaterThan(COUNT / 8)
      await server.kill('SIGKILL')
      await server.startAgain()
      await expect.poll(agent.written, slow).toBeGreaterThan(COUNT / 2)
      await context.setOffline(true)
      await expect.poll(agent.written, slow).toBeGreaterThan((COUNT * 3) / 4)
      await context.setOffline(false)
      await server.kill('SIGKILL')
      await server.startAgain()
      await Promise.all([customer.done, agent.done])

      const wanted = new Set([...texts('customer'), ...texts('agent')])
      const said = async () => (await stored(context, server, room)).filter((it) => wanted.has(it))
      await expect.poll(async () => (await said()).length, slow).toBe(2 * COUNT)
      const truth = await said()
      expect(new Set(truth).size).toBe(2 * COUNT)
      expect(truth.filter((it) => it.startsWith('agent'))).toEqual(texts('agent'))
      for (const each of [page, office]) {
        await expect
          .poll(async () => (await shown(each)).filter((it) => wanted.has(it)), slow)
          .toEqual(truth)
      }
    })

    test('missed messages appear in order, even if loading them failed before newer ones arrived', async ({
      page,
      context,
    }) => {
      const say = (message: string) => server.say('sms-gateway', '62844', 'Citra', message)
      await say('the first')
      const proxy = await CuttingProxy.start(server.url)
      try {
        await signIn(page, proxy)
        await take(page, proxy, 'Citra')
        const said = async () => (await shown(page)).filter((it) => it.startsWith('the '))
        await expect.poll(said).toEqual(['the first'])
        const readingOn = /\/messages\?.*after=/
        let failed = 0
        await page.route(readingOn, (route) => {
          failed += 1
          return route.abort()
        })
        const goOffline = async () => {
          await context.setOffline(true)
          proxy.cutSockets()
        }

        await goOffline()
        await say('the second')
        await say('the third')
        const isOpened = opened(page)
        await context.setOffline(false)
        await isOpened
        await expect.poll(() => failed).toBeGreaterThan(0)
        await say('the fourth')
        await expect.poll(said).toEqual(['the first', 'the fourth'])

        await page.unroute(readingOn)
        await goOffline()
        await context.setOffline(false)
        const all = ['the first', 'the second', 'the third', 'the fourth']
        await expect.poll(said, { timeout: 45_000 }).toEqual(all)
      } finally {
        proxy.stop()
      }
    })

    test('messages that change during an outage are shown as they are afterwards', async ({
      page,
      context,
    }) => {
      await server.say('sms-gateway', '62855', 'Dewi', 'Anybody there?')
      const proxy = await CuttingProxy.start(server.url)
      try {
        await signIn(page, proxy, admin(server))
        await page.goto(`${proxy.url}/dashboard/inbox/unassigned`)
        await row(page, 'Dewi').click()
        await expect(page.getByRole('article')).toHaveCount(1)
        const room = new URL(page.url()).pathname.split('/').at(-1) ?? ''
        const agent = await server.serve(room)
        const edited = await agent.say(room, 'Wrogn')
        const deleted = await agent.say(room, 'A secret')
        await expect(page.getByRole('article').filter({ hasText: 'A secret' })).toBeVisible()
        await context.setOffline(true)
        proxy.cutSockets()
        await agent.correct(edited, 'Right')
        await agent.remove(deleted)
        await context.setOffline(false)
        await expect(page.getByRole('article').filter({ hasText: 'Right' })).toBeVisible()
        await expect(page.getByRole('article').filter({ hasText: /Wrogn|A secret/ })).toHaveCount(0)
      } finally {
        proxy.stop()
      }
    })

    test('a response that is lost after the commit leaves one message', async ({ page }) => {
      await server.say('sms-gateway', '62833', 'Budi', 'Hello?')
      const proxy = await CuttingProxy.start(server.url)
      try {
        await signIn(page, proxy)
        await take(page, proxy, 'Budi')
        const room = new URL(page.url()).pathname.split('/').at(-1) ?? ''
        proxy.toCut = 2
        await page.getByRole('textbox', { name: 'Reply' }).fill('Only once, please.')
        await page.keyboard.press('Enter')
        await expect.poll(() => proxy.cut).toBe(2)
        await expect(page.getByText('Sending…')).toHaveCount(0)
        await expect(page.getByRole('article').getByText('Only once, please.')).toHaveCount(1)
        const kept = await stored(page.context(), proxy, room)
        expect(kept.filter((it) => it === 'Only once, please.')).toHaveLength(1)
        await page.goto(`${proxy.url}/dashboard/inbox/mine`)
        await expect(row(page, 'Budi')).toContainText('Only once, please.')
      } finally {
        proxy.stop()
      }
    })
  })
}

const text = (who: string, number: number) => `${who} ${String(number).padStart(4, '0')}`
const texts = (who: string) => Array.from({ length: COUNT }, (_, at) => text(who, at))

/** Posts messages as the customer. Failed requests are repeated with the same id. */
function customerWrites(server: Server) {
  let count = 0
  const write = async () => {
    for (const message of texts('customer')) {
      const unique_temp_id = message.replace(' ', '-')
      const say = () =>
        server
          .say('sms-gateway', '62811', 'Ana Lopez', message, { unique_temp_id })
          .catch(() => null)
      await expect.poll(say, { timeout: 60_000, intervals: [50] }).not.toBeNull()
      count += 1
    }
  }
  return { done: write(), written: () => count }
}

/** Posts messages as the agent as fast as the page allows, even while the server is down. */
function agentWrites(page: Page) {
  let count = 0
  const field = page.getByRole('textbox', { name: 'Reply' })
  const write = async () => {
    for (const message of texts('agent')) {
      await field.fill(message)
      await field.press('Enter')
      await expect(field).toHaveValue('')
      count += 1
    }
  }
  return { done: write(), written: () => count }
}

/** Resolves when a conversation is live over a new WebSocket. */
function opened(page: Page): Promise<void> {
  return new Promise((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"opened"')) resolve()
      })
    })
  })
}

/** Returns the messages stored by the server, in order. */
async function stored(
  context: BrowserContext,
  { url }: { url: string },
  room: string,
): Promise<string[]> {
  const found: string[] = []
  let before: string | null = ''
  while (before !== null) {
    const path = `${url}/api/v2/customer_rooms/${room}/messages?limit=100&before=${before}`
    const headers = { 'x-confab': '1' }
    const answer = await context.request.get(path.replace(/&before=$/, ''), { headers })
    if (!answer.ok()) return []
    const page: { data: { comments: { message: string }[] }; meta: { before: string | null } } =
      await answer.json()
    found.unshift(...page.data.comments.map(({ message }) => message))
    before = page.meta.before ?? null
  }
  return found
}

/** Returns all messages shown by the page, by scrolling from the first to the last. */
async function shown(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const list = document.querySelector('ol')
    const scroll = list?.parentElement
    if (!list || !scroll) return []
    const found = new Map<number, string>()
    const drawn = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const look = () => {
      for (const item of list.querySelectorAll<HTMLElement>('li[data-index]')) {
        const said = item.querySelector('article [class*=words]')?.textContent
        if (said) found.set(Number(item.dataset.index), said)
      }
    }
    for (let before = -1; scroll.scrollTop !== before; ) {
      before = scroll.scrollTop
      scroll.scrollTop = Math.max(scroll.scrollTop - scroll.clientHeight / 2, 0)
      await drawn()
      await drawn()
      look()
    }
    for (let before = -1; scroll.scrollTop !== before; ) {
      before = scroll.scrollTop
      scroll.scrollTop += scroll.clientHeight / 2
      await drawn()
      await drawn()
      look()
    }
    return [...found].sort(([a], [b]) => a - b).map(([, said]) => said)
  })
}
