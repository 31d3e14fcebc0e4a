import { expect, type Page, test } from '@playwright/test'
import { admin, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
})

test.afterAll(() => server.stop())

async function give(page: Page, password: string, button: string): Promise<void> {
  const dialogue = page.getByRole('dialog')
  await dialogue.getByRole('textbox', { name: 'Password' }).fill(password)
  await dialogue.getByRole('button', { name: button, exact: true }).click()
}

const shown = (page: Page) => page.getByRole('region', { name: 'The keys' })

test('keys are shown after entering the password, and hidden after a minute', async ({ page }) => {
  await page.clock.install()
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Keys' }).click()
  await expect(page.getByText(server.appId)).toBeVisible()
  await expect(page.getByText(server.sdkSecret)).toHaveCount(0)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await give(page, 'not the password', 'Show the keys')
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  await give(page, server.adminPassword, 'Show the keys')
  await expect(shown(page)).toContainText(server.sdkSecret)
  await page.clock.fastForward(61_000)
  await expect(shown(page)).toHaveCount(0)
  await expect(page.getByText(server.sdkSecret)).toHaveCount(0)
})

test('changing a key takes three steps, and a step taken by another admin is detected', async ({
  page,
  context,
}) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/keys`)
  const other = await context.newPage()
  await other.goto(`${server.url}/dashboard/keys`)
  const current = (page: Page) =>
    page.getByRole('list', { name: 'A new secret key in three steps' }).locator('[aria-current]')
  await expect(current(other)).toContainText('Create a new key')
  await page.getByRole('button', { name: 'Create a new key' }).click()
  await give(page, server.adminPassword, 'Create it')
  await expect(shown(page)).toBeVisible()
  await expect(current(page)).toContainText('Make it the current key')
  await expect(page.getByText('Add the new key next to the old one')).toBeVisible()
  // The other page does not show the change yet.
  await other.getByRole('button', { name: 'Create a new key' }).click()
  await give(other, server.adminPassword, 'Create it')
  await expect(other.getByRole('alert')).toContainText('Another admin changed the keys')
  await expect(current(other)).toContainText('Make it the current key')
  await page.getByRole('button', { name: 'Make it the current key' }).click()
  await give(page, server.adminPassword, 'Make it current')
  await expect(current(page)).toContainText('The old key expires on')
  await page.getByRole('button', { name: 'Retire the old key now' }).click()
  await give(page, server.adminPassword, 'Retire it')
  await expect(current(page)).toContainText('Create a new key')
  await expect(page.getByText('No key change is in progress.')).toBeVisible()
})

test('a leaked key can be replaced at once', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/keys`)
  await page.getByRole('button', { name: 'Replace the keys at once' }).click()
  await give(page, server.adminPassword, 'Replace at once')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByText('No key change is in progress.')).toBeVisible()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await give(page, server.adminPassword, 'Show the keys')
  await expect(shown(page)).toBeVisible()
  await expect(page.getByText(server.sdkSecret)).toHaveCount(0)
})
