import { expect, type Page, test } from '@playwright/test'
import { crowd } from './helpers/crowd'
import { admin, row, signIn } from './helpers/people'
import { Server } from './helpers/server'

const CUSTOMERS = Number(process.env.CONFAB_MANY ?? 10_000)

let server: Server

test.beforeAll(async () => {
  test.setTimeout(600_000)
  server = await Server.start()
  await crowd(server, 'sms-gateway', CUSTOMERS)
})

test.afterAll(() => server.stop())

const rows = (page: Page) => page.getByRole('list', { name: 'Conversations' }).getByRole('listitem')

test('of ten thousand conversations only the visible ones are rendered', async ({ page }) => {
  test.slow()
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/inbox/all`)
  await expect(row(page, 'Customer').first()).toBeVisible()
  expect(await rows(page).count()).toBeLessThanOrEqual(60)
  const scroll = page.getByRole('list', { name: 'Conversations' }).locator('..')
  await scroll.hover()
  for (let turn = 0; turn < 40; turn += 1) {
    await page.mouse.wheel(0, 4000)
    expect(await rows(page).count()).toBeLessThanOrEqual(60)
  }
  await rows(page).nth(10).getByRole('link').click()
  await expect(page.getByRole('article').first()).toBeVisible()
})
