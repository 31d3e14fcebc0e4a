import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { Server } from './helpers/server'
import { Shop } from './helpers/widget_front'
import { watch } from './helpers/widget_helpers'

// The demo: customer and agent on one page, for new operators.

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
})

test.afterAll(() => server.stop())

const demoLink = ({ greeting }: Server) => /(http\S+\/widget\/demo#\S+)/.exec(greeting)?.[1] ?? ''
const customer = (page: Page) => page.frameLocator('#customer')
const agent = (page: Page) => page.frameLocator('#agent')

test('the link printed at the first start opens both sides, which exchange messages', async ({
  page,
}) => {
  const found = watch(page)
  expect(demoLink(server)).toContain(`${server.url}/widget/demo#`)
  await page.goto(demoLink(server))
  await customer(page).getByRole('button', { name: 'Open chat' }).click()
  await customer(page).getByRole('textbox', { name: 'Message' }).fill('Is the tea fresh?')
  await page.keyboard.press('Enter')
  await agent(page)
    .getByRole('link', { name: /^Visitor/ })
    .click()
  await agent(page).getByRole('button', { name: 'Take', exact: true }).first().click()
  await agent(page).getByRole('textbox', { name: 'Reply' }).fill('Picked last week.')
  await page.keyboard.press('Enter')
  await expect(customer(page).getByRole('article').getByText('Picked last week.')).toBeVisible()
  // The code is used up, and not in the browser's history.
  expect(page.url()).toBe(`${server.url}/widget/demo`)
  expect(found).toEqual([])
  // The link does not sign in a second browser.
  const stranger = await page.context().browser()?.newPage()
  if (!stranger) throw new Error('no browser')
  await stranger.goto(demoLink(server))
  await expect(agent(stranger).getByRole('button', { name: 'Sign in' })).toBeVisible()
  await stranger.close()
})

test('both sides of the demo are in English or Indonesian', async ({ page }) => {
  await page.goto(`${server.url}/widget/demo?lang=id`)
  await expect(page.getByRole('heading', { name: 'Dua sisi obrolan' })).toBeVisible()
  await expect(customer(page).getByText('Toko Pojok')).toBeVisible()
  await expect(customer(page).getByRole('button', { name: 'Buka obrolan' })).toBeVisible()
  await expect(agent(page).getByRole('button', { name: 'Masuk' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Bahasa' }).selectOption('en')
  await expect(page.getByRole('heading', { name: 'Both sides of the chat' })).toBeVisible()
  await expect(customer(page).getByText('Corner Shop')).toBeVisible()
  await expect(customer(page).getByRole('button', { name: 'Open chat' })).toBeVisible()
  await expect(agent(page).getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('a narrow screen shows one side at a time, and both keep running', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${server.url}/widget/demo`)
  await customer(page).getByRole('button', { name: 'Open chat' }).click()
  await page.getByRole('button', { name: 'Agent' }).click()
  await expect(agent(page).getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(customer(page).getByRole('textbox', { name: 'Message' })).toBeHidden()
  await page.getByRole('button', { name: 'Customer' }).click()
  await expect(customer(page).getByRole('textbox', { name: 'Message' })).toBeVisible()
})

test('the demo is accessible', async ({ page }) => {
  const seen: Record<string, string[]> = {}
  for (const language of ['en', 'id']) {
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.goto(`${server.url}/widget/demo?lang=${language}`)
    await expect(customer(page).locator('.launcher')).toBeVisible()
    await expect(agent(page).locator('input[name=email]')).toBeVisible()
    const found = await troublesAnywhere(page, [1440, 1024, 390, 320])
    if (found.length > 0) seen[language] = found
  }
  expect(seen).toEqual({})
})

test('no other origin can frame the dashboard or the shop', async ({ page }) => {
  const other = await Shop.start()
  const frame = (path: string) => `<iframe src="${server.url}${path}"></iframe>`
  for (const path of ['/dashboard/', '/widget/demo', '/widget/demo/shop']) {
    other.pages.set('/', { body: `<!doctype html>${frame(path)}` })
    const refused = page.waitForEvent('console', (it) => it.text().includes('frame-ancestors'))
    await page.goto(other.url)
    await refused
  }
  other.stop()
})

test('with a public URL there is no demo, and no page can frame the dashboard', async ({
  page,
}) => {
  const public_ = await Server.start('--public-url', 'https://chat.example.com')
  const policyOf = async (path: string) => {
    const answer = await page.request.get(public_.url + path)
    return [
      answer.status(),
      /frame-ancestors [^;]*/.exec(answer.headers()['content-security-policy'] ?? '')?.[0],
    ]
  }
  expect(public_.greeting).not.toContain('/widget/demo')
  expect(await policyOf('/widget/demo')).toEqual([404, undefined])
  expect(await policyOf('/widget/demo/shop')).toEqual([404, undefined])
  expect(await policyOf('/dashboard/')).toEqual([200, "frame-ancestors 'none'"])
  await public_.stop()
  const wanted = await Server.start('--public-url', 'https://a.example', '--widget-demo', 'on')
  await page.goto(`${wanted.url}/widget/demo`)
  await expect(agent(page).locator('input[name=email]')).toBeVisible()
  await wanted.stop()
})
