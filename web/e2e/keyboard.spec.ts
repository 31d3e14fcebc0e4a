import { expect, type Page, test } from '@playwright/test'
import { admin } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

// The trace of a failure shows which key press was lost.
test.use({ trace: 'retain-on-failure' })

test.beforeAll(async () => {
  server = await Server.start()
  await server.agent('Budi Hartono', 'budi@example.com', 'a password of his')
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
})

test.afterAll(() => server.stop())

/** Runs a command by its name from the command bar. */
async function command(page: Page, name: string): Promise<void> {
  // A closing dialog still receives key presses.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.type(name)
  await expect(page.getByRole('option', { selected: true })).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toHaveCount(0)
}

/** Returns a description of the focused element if it is not visible: outside the viewport or
 * covered. */
function hiddenFocus(): string | null {
  const it = document.activeElement
  if (!it || it === document.body) return null
  const { left, right, top, bottom } = it.getBoundingClientRect()
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
  const above = document.elementFromPoint(x, y)
  const isSeen = above !== null && (it.contains(above) || above.contains(it))
  return isSeen ? null : `${it.outerHTML.slice(0, 80)} under ${above?.outerHTML.slice(0, 80)}`
}

test('a whole conversation can be handled with the keyboard', async ({ page }) => {
  test.slow()
  const { email, password } = admin(server)
  await page.goto(`${server.url}/dashboard/`)
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: 'Password' })).toBeFocused()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()

  await page.keyboard.press('Alt+2')
  await expect(page.getByRole('link', { name: /^Ana Lopez/ })).toBeVisible()
  // The customer who wrote last comes first.
  await page.keyboard.press('Alt+j')
  await page.keyboard.press('Alt+j')
  await expect(page.getByRole('heading', { name: 'Ana Lopez' })).toBeVisible()
  await expect(page.getByText('No agent is assigned to this customer.')).toBeVisible()
  await page.keyboard.press('Alt+t')
  const reply = page.getByRole('textbox', { name: 'Reply' })
  await expect(reply).toBeVisible()

  await command(page, 'Reply')
  await expect(reply).toBeFocused()
  await page.keyboard.type('It is on its way.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('It is on its way.')).toBeVisible()

  await expect(page.getByRole('dialog')).toHaveCount(0)
  const chooser = page.waitForEvent('filechooser')
  await page.keyboard.press('Control+Alt+a')
  const file = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('Paid.') }
  await (await chooser).setFiles(file)
  await expect(page.getByText('receipt.txt')).toBeVisible()
  await command(page, 'Reply')
  await expect(reply).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('receipt.txt')).toBeVisible()

  await command(page, 'Write a note')
  await expect(page.getByRole('textbox', { name: 'Note', exact: true })).toBeFocused()
  await page.keyboard.type('She moved house.')
  await page.keyboard.press('Enter')
  await expect(page.getByText('She moved house.').first()).toBeVisible()

  await command(page, 'Tag')
  await expect(page.getByRole('combobox', { name: 'Add tag' })).toBeFocused()
  await page.keyboard.type('vip')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove vip' })).toBeVisible()

  await command(page, 'Transfer')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.type('Budi')
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Budi/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/with Budi Hartono/i).first()).toBeVisible()

  await command(page, 'Resolve')
  await expect(page.getByRole('textbox', { name: 'Notes' })).toBeFocused()
  await page.keyboard.type('Sent again.')
  const resolve = page.getByRole('dialog').getByRole('button', { name: 'Resolve' })
  for (let steps = 0; steps < 5; steps += 1) {
    if (await resolve.evaluate((it) => it === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  // The note is before the reply, which shows that the conversation is resolved.
  await expect(page.getByText(/is resolved/).first()).toBeAttached()

  await command(page, 'Sign out')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('the focus is always visible, and F6 moves between the parts of the page', async ({
  page,
}) => {
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Email' }).fill(admin(server).email)
  await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await expect(page.getByRole('link', { name: /^Dian/ })).toBeVisible()
  await page.keyboard.press('Alt+j')
  await expect(page.getByRole('article').first()).toBeVisible()
  const hidden: string[] = []
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab')
    const trouble = await page.evaluate(hiddenFocus)
    if (trouble) hidden.push(trouble)
  }
  expect(hidden).toEqual([])
  const here = () =>
    page.evaluate(() => {
      const part = document.activeElement?.closest('[data-region]')
      return [...document.querySelectorAll('[data-region]')].indexOf(part as Element)
    })
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.keyboard.press('F6')
  expect(await here()).toBe(0)
  await page.keyboard.press('F6')
  expect(await here()).toBe(1)
  await page.keyboard.press('F6')
  expect(await here()).toBe(2)
  await page.keyboard.press('Shift+F6')
  expect(await here()).toBe(1)
})

test('shortcuts are listed, can be changed, and can be disabled', async ({ page }) => {
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Email' }).fill(admin(server).email)
  await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help.getByRole('row', { name: /^Resolved/ })).toContainText('Alt+5')
  await help.getByRole('link', { name: 'Change shortcuts' }).click()
  await page.getByRole('button', { name: 'Change: Resolved' }).click()
  await page.keyboard.press('Alt+9')
  await expect(page.getByRole('row', { name: /^Resolved/ })).toContainText('Alt+9')
  await page.getByRole('button', { name: 'Switch off: All' }).click()
  await expect(page.getByRole('row', { name: /^All/ })).toContainText('none')
  await page.goto(`${server.url}/dashboard/inbox/mine`)
  await expect(page.getByText('You have no open conversations.')).toBeVisible()
  await page.keyboard.press('Alt+4')
  await page.keyboard.press('Alt+9')
  await expect(page).toHaveURL(/inbox\/resolved$/)
})
