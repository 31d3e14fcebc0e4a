// Fast typing on a slow machine: texts are posted exactly as typed, to the conversation in which
// they were typed.
import { expect, type Page, test } from '@playwright/test'
import { admin, row, signIn, take } from './helpers/people'
import type { Server } from './helpers/server'
import { field, launcher, Street } from './helpers/widget_helpers'

// A throttled page needs more time.
test.setTimeout(180_000)

const COUNT = 20
const SLOWER = 6
const TEXTS = Array.from({ length: COUNT }, (_, at) => `Answer ${at + 1} of ${COUNT}.`)

let street: Street
let server: Server

test.beforeAll(async () => {
  street = await Street.open()
  server = street.server
  await server.widget()
  await server.channel('sms-gateway')
  for (const name of ['Ana', 'Ben', 'Cut', 'Dan', 'Eva']) {
    await server.say('sms-gateway', name, name, 'Hello?')
  }
})

test.afterAll(() => street.close())

const roomOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

async function slow(page: Page, rate = SLOWER) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}

async function typeAll(page: Page, texts: readonly string[]) {
  for (const text of texts) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
}

/** Returns the texts of a room, oldest first, without system events. */
async function posted(room: string): Promise<string[]> {
  const comments = await server.comments(room)
  return comments
    .filter(({ type }) => type !== 'system_event')
    .map(({ message }) => message)
    .reverse()
}

test('twenty quick replies in the dashboard are posted as typed, in order', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Ana')
  await page.getByRole('textbox', { name: 'Reply' }).focus()
  await slow(page)
  await typeAll(page, TEXTS)
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('')
  await expect
    .poll(async () => (await posted(roomOf(page))).length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(COUNT + 1)
  expect(await posted(roomOf(page))).toEqual(['Hello?', ...TEXTS])
})

test('twenty quick notes are stored as typed, in order', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Ben')
  await page.getByRole('tab', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note', exact: true }).focus()
  await slow(page)
  await typeAll(page, TEXTS)
  await expect(page.getByRole('textbox', { name: 'Note', exact: true })).toHaveValue('')
  const notes = async () => {
    const path = `${server.url}/api/v2/customer_rooms/${roomOf(page)}/notes?limit=50`
    const { data } = await (await page.request.get(path, { headers: { 'x-confab': '1' } })).json()
    return data.notes.map((note: { text: string }) => note.text).reverse()
  }
  await expect.poll(notes, { timeout: 60_000 }).toEqual(TEXTS)
  expect(await posted(roomOf(page))).toEqual(['Hello?'])
})

test('twenty quick messages in the widget are posted as typed, in order', async ({ page }) => {
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(field(page)).toBeFocused()
  await slow(page)
  await typeAll(page, TEXTS)
  await expect(field(page)).toHaveValue('')
  const room = await street.roomIn(page)
  await expect
    .poll(async () => (await posted(room)).length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(COUNT)
  expect(await posted(room)).toEqual(TEXTS)
})

test('the composer is empty before the next key press, even while the text is being stored', async ({
  page,
}) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Cut')
  const area = page.getByRole('textbox', { name: 'Reply' })
  await area.fill('The first')
  const after = await area.evaluate((field: HTMLTextAreaElement) => {
    const init = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }
    field.dispatchEvent(new KeyboardEvent('keydown', init))
    return field.value
  })
  expect(after).toBe('')
})

test('a draft stays in its conversation when the agent switches quickly', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Dan')
  const dan = roomOf(page)
  await take(page, server, 'Eva')
  const eva = roomOf(page)
  await page.goto(`${server.url}/dashboard/inbox/mine/${eva}`)
  await expect(row(page, 'Dan')).toBeVisible()
  await page.getByRole('textbox', { name: 'Reply' }).focus()
  await slow(page)
  // The opened conversation gets neither the draft nor the posted text of the previous one.
  await page.keyboard.type('For Eva')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Also for Eva')
  await page.keyboard.press((await isAbove(page, 'Eva', 'Dan')) ? 'Alt+j' : 'Alt+k')
  await page.keyboard.type('for nobody')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(dan))
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('')
  await expect.poll(() => posted(eva)).toEqual(['Hello?', 'For Eva'])
  await row(page, 'Eva').click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('Also for Eva')
  expect(await posted(dan)).toEqual(['Hello?'])
})

async function isAbove(page: Page, one: string, other: string): Promise<boolean> {
  const top = async (name: string) => (await row(page, name).boundingBox())?.y ?? 0
  return (await top(one)) < (await top(other))
}
