import { expect, test } from '@playwright/test'
import { admin, makeSari, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
})

test.afterAll(() => server.stop())

test('saved settings persist across a reload', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Corner shop')
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Jakarta')
  await page.getByRole('spinbutton', { name: 'Seconds until amber' }).fill('60')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeDisabled()
  await expect(page.getByRole('banner')).toContainText('Corner shop')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Corner shop')
  await expect(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Asia/Jakarta')
  await expect(page.getByRole('spinbutton', { name: 'Seconds until amber' })).toHaveValue('60')
})

test('a red limit below the amber limit is not saved', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/settings`)
  await page.getByRole('spinbutton', { name: 'Seconds until red' }).fill('5')
  await expect(page.getByText('Red must come after amber.')).toBeVisible()
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeEnabled()
  await page.getByRole('button', { name: 'Undo changes' }).first().click()
  await expect(page.getByText('Red must come after amber.')).toHaveCount(0)
})

test('office hours and the away text of a channel are saved', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/settings`)
  await page.getByRole('radio', { name: 'At these hours' }).check()
  await page.getByLabel('Monday, until').fill('12:30')
  await page.getByRole('button', { name: 'Add hours: Monday' }).click()
  await page.getByRole('textbox', { name: 'Away text' }).fill('We are back at nine.')
  await page.getByRole('button', { name: 'Save office hours' }).click()
  await expect(page.getByRole('button', { name: 'Save office hours' })).toBeDisabled()
  await page.getByRole('combobox', { name: 'Channel' }).selectOption('Channel sms-gateway')
  await page.getByRole('textbox', { name: 'Away text' }).nth(1).fill('Write again at nine.')
  await page.getByRole('button', { name: "Save the channel's texts" }).click()
  await expect(page.getByRole('button', { name: "Save the channel's texts" })).toBeDisabled()
  await page.reload()
  await expect(page.getByLabel('Monday, until')).toHaveCount(2)
  await expect(page.getByLabel('Monday, until').first()).toHaveValue('12:30')
  await expect(page.getByRole('textbox', { name: 'Away text' })).toHaveValue('We are back at nine.')
  await page.getByRole('combobox', { name: 'Channel' }).selectOption('Channel sms-gateway')
  const ofChannel = page.getByRole('textbox', { name: 'Away text' }).nth(1)
  await expect(ofChannel).toHaveValue('Write again at nine.')
})

test('agents cannot open the admin screens', async ({ page }) => {
  await signIn(page, server, SARI)
  for (const name of ['Settings', 'Audit', 'Webhooks', 'Bot']) {
    await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
    await page.goto(`${server.url}/dashboard/${name.toLowerCase()}`)
    await expect(page.getByRole('alert')).toContainText('Your role has no access to this')
  }
})

test('the audit log shows a changed setting with its old and new value', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/settings`)
  await page.getByRole('spinbutton', { name: 'Seconds until red' }).fill('999')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeDisabled()
  await page.getByRole('link', { name: 'Audit' }).click()
  const newest = page.getByRole('list', { name: 'Audit' }).getByRole('listitem').first()
  await expect(newest).toContainText('Settings changed')
  await expect(newest.getByRole('table')).toContainText('999')
  await page.getByRole('combobox', { name: 'What' }).selectOption('tag')
  await expect(page).toHaveURL(/what=tag/)
  await expect(page.getByText('No changes match the filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(newest).toContainText('Settings changed')
})

test('changing the password keeps the chosen sign-in duration, and holds if signing in again fails', async ({
  page,
}) => {
  const tono = { email: 'tono@example.com', password: 'a password of his' }
  await server.agent('Tono', tono.email, tono.password)
  await page.goto(`${server.url}/dashboard/`)
  await page.getByRole('checkbox', { name: /Keep me signed in/ }).uncheck()
  await page.getByRole('textbox', { name: 'Email' }).fill(tono.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(tono.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  const change = async (from: string, to: string) => {
    await page.goto(`${server.url}/dashboard/me`)
    await page.getByRole('textbox', { name: 'Current password' }).fill(from)
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill(to)
    await page.getByRole('textbox', { name: 'New password again' }).fill(to)
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  await change(tono.password, 'another password')
  await expect(page.getByText('The password is changed.')).toBeVisible()
  const [cookie] = await page.context().cookies()
  expect(cookie?.expires).toBe(-1)
  // The network breaks between the password change and the new sign-in.
  await page.route('**/api/v2/sign_in', (route) => route.abort())
  await change('another password', 'a third password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.unroute('**/api/v2/sign_in')
  await signIn(page, server, { email: tono.email, password: 'a third password' })
})

test('a user can end their other sign-ins', async ({ page, browser }) => {
  await signIn(page, server, SARI)
  const context = await browser.newContext()
  const elsewhere = await context.newPage()
  await signIn(elsewhere, server, SARI)
  await page.goto(`${server.url}/dashboard/me`)
  const places = page.getByRole('list', { name: 'Where you are signed in' })
  await expect(places.getByRole('listitem').first()).toContainText('This browser')
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(places.getByRole('listitem')).toHaveCount(1)
  await expect(elsewhere.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  await context.close()
})
