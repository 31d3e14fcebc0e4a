// Actions on a customer: block, export, erase.
import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { admin, makeSari, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  await makeSari(server)
})

test.afterAll(() => server.stop())

async function openAna(page: Page): Promise<void> {
  await page.goto(`${server.url}/dashboard/contacts`)
  await page.getByRole('link', { name: /^Ana Lopez/ }).click()
  await expect(page.getByRole('heading', { name: 'Ana Lopez' })).toBeVisible()
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a customer can be blocked and unblocked', async ({ page }) => {
  await signIn(page, server, admin(server))
  await openAna(page)
  await button(page, 'Block').click()
  await expect(page.getByText('Blocked', { exact: true })).toBeVisible()
  await button(page, 'Unblock').click()
  await expect(page.getByText('Blocked', { exact: true })).toHaveCount(0)
})

test('agents cannot export or erase customers', async ({ page }) => {
  await signIn(page, server, SARI)
  await openAna(page)
  await expect(button(page, 'Block')).toBeVisible()
  await expect(button(page, 'Export')).toHaveCount(0)
  await expect(button(page, 'Erase')).toHaveCount(0)
})

test('an admin exports a customer, and erases them by entering their name', async ({ page }) => {
  await signIn(page, server, admin(server))
  await openAna(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Export').click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^contact-\d+\.json$/)
  const exported = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(exported.data.contact.name).toBe('Ana Lopez')
  expect(JSON.stringify(exported)).toContain('Where is my order?')
  await button(page, 'Erase').click()
  const yes = page.getByRole('dialog').getByRole('button', { name: 'Erase permanently' })
  await page.getByRole('dialog').getByRole('textbox').fill('Ana')
  await expect(yes).toBeDisabled()
  await page.getByRole('dialog').getByRole('textbox').fill('Ana Lopez')
  await yes.click()
  await expect(page.getByRole('heading', { name: 'Erased' })).toBeVisible()
  await page.goto(`${server.url}/dashboard/contacts`)
  await expect(page.getByRole('link', { name: /^Erased/ })).toBeVisible()
  await expect(page.getByText('Ana Lopez')).toHaveCount(0)
})

test('the customer actions are translated to Indonesian', async ({ page }) => {
  await server.say('sms-gateway', '62822', 'Budi Halim', 'Halo?')
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/contacts?lang=id`)
  await page.getByRole('link', { name: /^Budi Halim/ }).click()
  for (const name of ['Blokir', 'Ekspor', 'Hapus']) await expect(button(page, name)).toBeVisible()
})
