import { expect, type Page, test } from '@playwright/test'
import { Receiver, Server } from './helpers/server'

// Each test continues from the previous one's state, so that a retry starts with the first.
test.describe.configure({ mode: 'serial' })

let server: Server
let receiver: Receiver

test.beforeAll(async () => {
  server = await Server.start()
  receiver = await Receiver.start()
  await server.channel('sms-gateway', receiver.url)
})

test.afterAll(async () => {
  receiver.stop()
  await server.stop()
})

/** Collects script errors and violations of the page's content security policy. */
function watch(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) troubles.push(message.text())
  })
  return troubles
}

async function signIn(page: Page, email: string, password: string) {
  await page.goto(`${server.url}/dashboard/`)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
}

test('the printed link signs the admin in once', async ({ page, browser }) => {
  const troubles = watch(page)
  await page.goto(server.link)
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  expect(page.url()).not.toContain('#')
  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(server.link)
  await expect(stranger.getByRole('alert')).toContainText('link')
  expect(troubles).toEqual([])
})

test('a wrong password gets the same error for known and unknown addresses', async ({ page }) => {
  await page.goto(`${server.url}/dashboard/inbox/all`)
  for (const email of ['admin@localhost', 'nobody@example.com']) {
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toContainText('wrong')
  }
})

test('an agent takes a customer, replies in their channel, and resolves', async ({ page }) => {
  await server.agent('Sari Dewi', 'sari@example.com', 'a password of hers')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  const troubles = watch(page)
  await signIn(page, 'sari@example.com', 'a password of hers')
  await page.getByRole('link', { name: 'Unassigned' }).click()
  const row = page
    .getByRole('list', { name: 'Conversations' })
    .getByRole('link', { name: /^Ana Lopez/ })
  await row.click()
  await expect(page.getByText('No agent is assigned to this customer')).toBeVisible()
  await page.getByRole('button', { name: 'Take' }).click()
  await page.getByRole('textbox', { name: 'Reply' }).fill('It is on its way.')
  await page.keyboard.press('Enter')
  await expect(page.getByText('It is on its way.')).toBeVisible()
  await expect(page.getByText('· sent')).toBeVisible()
  await expect
    .poll(() => receiver.bodies.filter((body) => body.includes('on its way')).length)
    .toBe(1)
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Thank you!')
  await expect(page.getByRole('article').getByText('Thank you!')).toBeVisible()
  await page.getByRole('button', { name: 'Resolve' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByRole('textbox', { name: 'Notes' }).fill('Sent again.')
  await dialogue.getByRole('button', { name: 'Resolve' }).click()
  await expect(page.getByText('This conversation is resolved.')).toBeVisible()
  expect(troubles).toEqual([])
})

test('two agents see changes live', async ({ page, browser }) => {
  await server.agent('Budi', 'budi@example.com', 'a password of his')
  await signIn(page, 'sari@example.com', 'a password of hers')
  const other = await (await browser.newContext()).newPage()
  await signIn(other, 'budi@example.com', 'a password of his')
  for (const each of [page, other]) await each.getByRole('link', { name: 'Unassigned' }).click()
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
  const row = (page: Page) => page.getByRole('link', { name: /^Dian/ })
  await expect(row(page)).toBeVisible()
  await expect(row(other)).toBeVisible()
  await row(page).click()
  await page.getByRole('button', { name: 'Take' }).click()
  await expect(row(other)).toHaveCount(0)
})

test('text written while the server is unreachable is sent once when it responds again', async ({
  page,
}) => {
  await signIn(page, 'sari@example.com', 'a password of hers')
  await page.getByRole('link', { name: 'Mine' }).click()
  await page.getByRole('link', { name: /^Dian/ }).click()
  await expect(page.getByRole('article').first()).toBeVisible()
  await server.kill('SIGKILL')
  await page.getByRole('textbox', { name: 'Reply' }).fill('Written in the dark.')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Sending…')).toBeVisible()
  await server.startAgain()
  await expect(page.getByText('Sending…')).toHaveCount(0, { timeout: 45_000 })
  await expect(page.getByRole('article').getByText('Written in the dark.')).toHaveCount(1)
  const sent = () => receiver.bodies.filter((body) => body.includes('in the dark')).length
  await expect.poll(sent, { timeout: 30_000 }).toBe(1)
})

test('signing out affects all tabs', async ({ page, context }) => {
  await signIn(page, 'budi@example.com', 'a password of his')
  const tab = await context.newPage()
  await tab.goto(`${server.url}/dashboard/inbox/all`)
  await expect(tab.getByRole('link', { name: 'Inbox' })).toBeVisible()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(tab.getByRole('button', { name: 'Sign in' })).toBeVisible()
})
