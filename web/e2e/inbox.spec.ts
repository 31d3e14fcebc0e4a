import { expect, test } from '@playwright/test'
import { admin, makeSari, row, SARI, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

// Each test continues from the previous one's state, so that a retry starts with the first.
test.describe.configure({ mode: 'serial' })

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.channel('chat-bridge')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
  await server.say('chat-bridge', 'budi', 'Budi', 'Can I return it?')
})

test.afterAll(() => server.stop())

test('the counts of the views update live', async ({ page }) => {
  await signIn(page, server, admin(server))
  const view = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) })
  await expect(view('Unassigned')).toContainText('3')
  await expect(view('All')).toContainText('3')
  await server.say('sms-gateway', '62844', 'Eka', 'Good morning')
  await expect(view('Unassigned')).toContainText('4')
})

test('a row shows the customer, the channel and the waiting time', async ({ page }) => {
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  const ana = row(page, 'Ana Lopez')
  await expect(ana).toContainText('Where is my order?')
  await expect(ana).toContainText('Channel sms-gateway')
  await expect(ana).toContainText(/waiting \d+:\d\d/)
})

test('lists can be filtered and sorted by their URL', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/inbox/all?sort=waiting`)
  const first = page.getByRole('list', { name: 'Conversations' }).getByRole('link').first()
  await expect(first).toContainText('Ana Lopez')
  await page.getByRole('button', { name: /Sort and filter/ }).click()
  await page.getByRole('combobox', { name: 'Channel' }).selectOption('Channel chat-bridge')
  await expect(row(page, 'Ana Lopez')).toHaveCount(0)
  await expect(row(page, 'Budi')).toBeVisible()
  expect(page.url()).toMatch(/[?&]channel=\d+/)
  await page.reload()
  await expect(row(page, 'Budi')).toBeVisible()
  await expect(row(page, 'Ana Lopez')).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/inbox/all?channel=nonsense`)
  await expect(row(page, 'Ana Lopez')).toBeVisible()
})

test('a search finds customers by name, and reports when there are none', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/inbox/all`)
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('dia')
  await expect(row(page, 'Ana Lopez')).toHaveCount(0)
  await expect(row(page, 'Dian')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('nobody of that name')
  await expect(page.getByText('Nothing was found.')).toBeVisible()
})

test('rows do not move under the pointer, and new conversations are announced', async ({
  page,
}) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/inbox/all`)
  const list = page.getByRole('list', { name: 'Conversations' })
  const names = () => list.locator('[class*=name]').allTextContents()
  await row(page, 'Budi').hover()
  const before = await names()
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'I still wait.')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  expect(await names()).toEqual(before)
  // Moving to the button does not reorder the list either.
  await page.getByRole('button', { name: '1 new' }).hover()
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  expect(await names()).toEqual(before)
  await page.getByRole('button', { name: '1 new' }).click()
  await expect.poll(async () => (await names())[0]).toBe('Ana Lopez')
})

test('unseen messages are marked in the list and in the title until the conversation is opened', async ({
  page,
}) => {
  await signIn(page, server)
  await take(page, server, 'Dian')
  await expect(page).toHaveTitle('Dian · Inbox · Confab')
  await page.goto(`${server.url}/dashboard/inbox/mine`)
  await expect(row(page, 'Dian')).toHaveAttribute('data-is-seen', 'true')
  await server.say('sms-gateway', '62822', 'Dian', 'Are you there?')
  await expect(row(page, 'Dian')).toHaveAttribute('data-is-seen', 'false')
  await expect(page).toHaveTitle('(1) Inbox · Confab')
  await row(page, 'Dian').click()
  await expect(row(page, 'Dian')).toHaveAttribute('data-is-seen', 'true')
  await expect(page).toHaveTitle('Dian · Inbox · Confab')
  await page.getByRole('heading', { name: 'Dian' }).click()
  await page.keyboard.press('Alt+u')
  await expect(row(page, 'Dian')).toHaveAttribute('data-is-seen', 'false')
  await page.reload()
  await expect(page.getByRole('article').first()).toBeVisible()
})

test('an agent without customers takes the next one by a shortcut', async ({ page }) => {
  await server.agent('Tono', 'tono@example.com', 'a password of his')
  await signIn(page, server, { email: 'tono@example.com', password: 'a password of his' })
  await expect(page.getByText('You have no open conversations.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Take the next customer (Alt+T)' })).toBeVisible()
  await page.keyboard.press('Alt+t')
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
  await expect(row(page, 'Ana Lopez')).toBeVisible()
})

test('own preferences apply in all tabs at once', async ({ page, context }) => {
  await signIn(page, server, SARI)
  const tab = await context.newPage()
  await tab.goto(`${server.url}/dashboard/me`)
  await expect(tab.getByRole('heading', { name: 'My account' })).toBeVisible()
  const isOn = (page: typeof tab) =>
    page.getByRole('banner').getByRole('switch', { name: /Available|Tersedia/ })
  await expect(isOn(page)).toBeChecked()
  await isOn(page).click({ force: true })
  await expect(isOn(tab)).not.toBeChecked()
  await tab.getByRole('combobox', { name: 'Language' }).selectOption('Bahasa Indonesia')
  await expect(page.getByRole('link', { name: 'Kotak masuk' })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('id')
  await tab.getByRole('combobox', { name: 'Bahasa' }).selectOption('English')
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
})

test('only one of several tabs plays the sound', async ({ page, context }) => {
  const ring = () => {
    const win = window as Window & { rings?: number }
    win.rings = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...when) {
      win.rings = (win.rings ?? 0) + 1
      return start.apply(this, when)
    }
  }
  await context.addInitScript(ring)
  await signIn(page, server)
  const tab = await context.newPage()
  await tab.goto(`${server.url}/dashboard/inbox/mine`)
  await expect(row(tab, 'Dian')).toBeVisible()
  await server.say('sms-gateway', '62822', 'Dian', 'One more thing.')
  await expect(row(tab, 'Dian')).toContainText('One more thing.')
  await expect(row(page, 'Dian')).toContainText('One more thing.')
  const rings = () =>
    Promise.all(
      [page, tab].map((each) =>
        each.evaluate(() => Number((window as Window & { rings?: number }).rings) > 0),
      ),
    )
  expect((await rings()).filter(Boolean)).toHaveLength(1)
})
