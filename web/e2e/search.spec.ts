import { expect, type Page, test } from '@playwright/test'
import { admin, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'I want a refund for the order 1024')
  await server.say('sms-gateway', '62822', 'Refundo Silva', 'Hello?')
})

test.afterAll(() => server.stop())

/** Repeats a search until it finds something, because the index is updated asynchronously. */
async function searchFor(page: Page, words: string, found: string): Promise<void> {
  await expect(async () => {
    await page.goto(`${server.url}/dashboard/search?q=${encodeURIComponent(words)}`)
    await expect(page.getByRole('link', { name: found })).toBeVisible({ timeout: 2000 })
  }).toPass({ timeout: 30_000 })
}

test('messages and contacts are found by prefixes of their words', async ({ page }) => {
  await signIn(page, server, admin(server))
  await searchFor(page, 'refun', 'order 1024')
  const messages = page.getByRole('list', { name: 'Messages' })
  await expect(messages.locator('mark')).toHaveText(['refun'])
  await expect(page.getByRole('list', { name: 'Contacts' })).toContainText('Refundo Silva')
  await page.getByRole('searchbox').fill('nobody said this')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByText('Nothing was found.')).toBeVisible()
})

test('clicking a result opens the message in its conversation', async ({ page }) => {
  await signIn(page, server, admin(server))
  await searchFor(page, '1024', 'order 1024')
  await page.getByRole('link', { name: 'order 1024' }).click()
  await expect(page).toHaveURL(/\/inbox\/all\/\d+\?m=\d+/)
  await expect(page.getByRole('article')).toContainText('I want a refund')
})

test('inbox and command bar offer the full search', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('refund')
  await page.getByRole('link', { name: 'Search all messages: refund' }).click()
  await expect(page.getByRole('heading', { name: 'Search: refund' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('order')
  await page.getByRole('option', { name: /Search all messages: order/ }).click()
  await expect(page.getByRole('heading', { name: 'Search: order' })).toBeVisible()
})
