// Text for colleagues never reaches the customer: shortcuts, focus and appearance of the composers.
import { expect, type Locator, type Page, test } from '@playwright/test'
import { admin, row, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

test.setTimeout(120_000)

let server: Server
let last = 0

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.agent('Budi Santoso', 'budi@example.com', 'a password of his')
})

test.afterAll(() => server.stop())

const replyOf = (page: Page) => page.getByRole('textbox', { name: 'Reply' })
const noteOf = (page: Page) => page.getByRole('textbox', { name: 'Note', exact: true })
const messagesOf = (page: Page) => page.getByRole('list', { name: 'Messages', exact: true })

/** Creates a customer with a waiting message. */
async function customer(name: string): Promise<string> {
  last += 1
  return server.say('sms-gateway', `628${last}`, name, 'Hello?')
}

/** Returns the texts that customer and staff posted, oldest first. */
async function posted(room: string): Promise<string[]> {
  const comments = await server.comments(room)
  return comments
    .filter(({ type }) => type !== 'system_event')
    .map(({ message }) => message)
    .reverse()
}

/** Creates a customer served by the admin, who has replied and has the focus in the composer. */
async function answered(page: Page, name: string): Promise<string> {
  const room = await customer(name)
  await signIn(page, server, admin(server))
  await take(page, server, name)
  await replyOf(page).fill('Good day.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('Good day.')).toBeVisible()
  await expect(replyOf(page)).toBeFocused()
  return room
}

/** Returns the name of the focused element, for failure messages. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const it = document.activeElement
    return it?.getAttribute('aria-label') ?? (it?.id || it?.tagName.toLowerCase() || null)
  })

const onBody = (page: Page) =>
  page.evaluate(() => document.activeElement === null || document.activeElement === document.body)

/** Waits until the focus has left the body, and checks that it does not return. */
async function keepsFocus(page: Page) {
  await expect.poll(() => onBody(page)).toBe(false)
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(await focused(page)).not.toBe('body')
}

test('Alt shortcuts after a reply write a note, a tag and a resolution, not to the customer', async ({
  page,
}) => {
  const room = await answered(page, 'Alt Ana')
  await page.keyboard.press('Alt+p')
  await expect(noteOf(page)).toBeFocused()
  await page.keyboard.type('Noted')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('Noted')
  await page.keyboard.press('Alt+l')
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.press('Alt+g')
  await expect(page.getByRole('combobox', { name: 'Add tag' })).toBeFocused()
  await page.keyboard.type('vip')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove vip' })).toBeVisible()
  await page.keyboard.press('Alt+l')
  await page.keyboard.press('Alt+e')
  await expect(page.getByRole('textbox', { name: 'Notes' })).toBeFocused()
  await page.keyboard.type('Sent again.')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/is resolved/).first()).toBeAttached()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await keepsFocus(page)
  expect(await posted(room)).toEqual(['Hello?', 'Good day.'])
})

test('text typed before a dialog opens does not reach the composer', async ({ page }) => {
  const room = await answered(page, 'Slow Sam')
  // The code of each dialog arrives only after the text was typed.
  let load = () => {}
  let typed = Promise.resolve()
  await page.route(/(ResolveDialog|CommandBar|AssignDialog)-/, async (route) => {
    await typed
    await route.continue()
  })
  for (const key of ['Alt+e', 'Alt+g', 'Control+k', 'Alt+a']) {
    await page.keyboard.press('Alt+l')
    await expect(replyOf(page)).toBeFocused()
    typed = new Promise((resolve) => {
      load = resolve
    })
    await page.keyboard.press(key)
    await page.keyboard.type('internal')
    await page.keyboard.press('Enter')
    load()
    await expect(page.locator('textarea[aria-label="Reply"]')).toHaveValue('')
    if (key !== 'Alt+g') {
      await expect(page.getByRole('dialog')).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await keepsFocus(page)
  }
  // The note composer opens at once.
  await page.keyboard.press('Alt+l')
  await page.keyboard.press('Alt+p')
  await page.keyboard.type('For colleagues')
  await expect(noteOf(page)).toHaveValue('For colleagues')
  await expect(page.locator('textarea[aria-label="Reply"]')).toHaveValue('')
  expect(await posted(room)).toEqual(['Hello?', 'Good day.'])
})

interface Press {
  code: string
  key: string
  ctrlKey?: boolean
  altKey?: boolean
  modifierAltGraph?: boolean
}

/** Presses a key as on another keyboard layout or platform. Returns whether the page handled it. */
function pressed(area: Locator, init: Press): Promise<boolean> {
  return area.evaluate((it, init) => {
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
    return !it.dispatchEvent(event)
  }, init)
}

test('AltGr types its character in the composer, and shortcuts work on other layouts', async ({
  page,
}) => {
  await answered(page, 'Greta')
  const euro = { code: 'KeyE', key: '€', ctrlKey: true, altKey: true }
  expect(await pressed(replyOf(page), { ...euro, modifierAltGraph: true })).toBe(false)
  expect(await pressed(replyOf(page), euro)).toBe(false)
  const alone = { code: 'KeyP', key: 'þ', modifierAltGraph: true }
  expect(await pressed(replyOf(page), alone)).toBe(false)
  await expect(replyOf(page)).toBeFocused()
  expect(await pressed(replyOf(page), { code: 'KeyP', key: 'з', altKey: true })).toBe(true)
  await expect(noteOf(page)).toBeFocused()
})

test('on a Mac, Option types its character in the composer and Ctrl+Option triggers shortcuts', async ({
  page,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })
  })
  await answered(page, 'Mac Mia')
  const option = { code: 'KeyP', key: 'π', altKey: true }
  expect(await pressed(replyOf(page), option)).toBe(false)
  await expect(replyOf(page)).toBeFocused()
  expect(await pressed(replyOf(page), { ...option, ctrlKey: true })).toBe(true)
  await expect(noteOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('⌥ types characters while you write')
})

test('Esc closes popups first, then moves the focus from the composer to the messages', async ({
  page,
}) => {
  await answered(page, 'Esa')
  await page.keyboard.type(':thumbs')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(messagesOf(page)).toBeFocused()
  await expect(replyOf(page)).toHaveValue(':thumbs')
  await page.keyboard.type('lost')
  await expect(replyOf(page)).toHaveValue(':thumbs')
  await page.keyboard.press('Alt+p')
  await expect(noteOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(messagesOf(page)).toBeFocused()
  // Esc removes a quote before it moves the focus.
  await page.keyboard.press('Alt+l')
  const message = page.getByRole('article').filter({ hasText: 'Hello?' })
  await message.hover()
  await message.getByRole('button', { name: 'Message menu' }).click()
  await page.getByRole('menuitem', { name: 'Reply' }).click()
  await expect(page.getByText(/Reply to Esa/)).toBeVisible()
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText(/Reply to Esa/)).toHaveCount(0)
  await expect(replyOf(page)).toBeFocused()
})

test('quoting a message opens the reply composer, which stays open after sending', async ({
  page,
}) => {
  const room = await answered(page, 'Quentin')
  await page.keyboard.press('Alt+p')
  await expect(noteOf(page)).toBeFocused()
  const message = page.getByRole('article').filter({ hasText: 'Hello?' })
  await message.hover()
  await message.getByRole('button', { name: 'Message menu' }).click()
  await page.getByRole('menuitem', { name: 'Reply' }).click()
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.type('Yes')
  await page.keyboard.press('Enter')
  await expect(replyOf(page)).toBeFocused()
  await expect.poll(() => posted(room)).toEqual(['Hello?', 'Good day.', 'Yes'])
})

interface Look {
  surface: string
  field: string
  border: string
  button: string
}

/** Returns the colors and styles of the visible composer. */
async function look(page: Page, area: Locator, send: string): Promise<Look> {
  const button = page.getByRole('button', { name: send })
  await expect(button).toBeEnabled()
  const style = (it: Locator, name: string) =>
    it.evaluate((it, name) => getComputedStyle(it).getPropertyValue(name), name)
  const surface = await area.evaluate((it) => {
    let at: Element | null = it.parentElement
    while (at && getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)') at = at.parentElement
    return at ? getComputedStyle(at).backgroundColor : ''
  })
  return {
    surface,
    field: await style(area, 'background-color'),
    border: await style(area, 'border-top-style'),
    button: await style(button, 'background-color'),
  }
}

test('the composers of notes and replies look different', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await answered(page, 'Lena Look')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
    await page.keyboard.press('Alt+l')
    await replyOf(page).fill('Text')
    const reply = await look(page, replyOf(page), 'Send')
    await expect(page.getByText('Only colleagues see this.')).toBeHidden()
    await page.keyboard.press('Alt+p')
    await noteOf(page).fill('Text')
    const note = await look(page, noteOf(page), 'Send to colleagues')
    for (const part of ['surface', 'field', 'border', 'button'] as const) {
      expect(note[part], `${part}, ${colorScheme}`).not.toBe(reply[part])
    }
    await expect(page.getByText('Only colleagues see this.')).toBeVisible()
    await expect(noteOf(page)).toHaveAttribute('placeholder', /colleagues.*customer never/)
    await expect(replyOf(page)).toBeHidden()
  }
})

test('Take and Join focus the composer', async ({ page }) => {
  const alone = await customer('Tara Taken')
  const served = await customer('Joan Joined')
  const byKey = await customer('Kay Key')
  await signIn(page, server, admin(server))
  const { data } = (await server.call('GET', '/api/v2/admin/agents')) as unknown as {
    data: { agents: { id: number; email: string }[] }
  }
  const agent_id = data.agents.find(({ email }) => email === 'budi@example.com')?.id
  await server.asAdmin('POST', '/api/v1/admin/service/assign_agent', { room_id: served, agent_id })
  await page.goto(`${server.url}/dashboard/inbox/all/${alone}`)
  await page.getByRole('button', { name: 'Take', exact: true }).click()
  await expect(replyOf(page)).toBeFocused()
  await page.goto(`${server.url}/dashboard/inbox/all/${served}`)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(replyOf(page)).toBeFocused()
  await page.goto(`${server.url}/dashboard/inbox/all/${byKey}`)
  await expect(page.getByRole('button', { name: 'Take', exact: true })).toBeVisible()
  await page.keyboard.press('Alt+t')
  await expect(replyOf(page)).toBeFocused()
})

test('the focus is never on the body', async ({ page }) => {
  const first = await customer('Fay First')
  await customer('Sol Second')
  await signIn(page, server, admin(server))
  await keepsFocus(page)
  await take(page, server, 'Sol Second')
  await page.goto(`${server.url}/dashboard/inbox/unassigned/${first}`)
  await expect(page.getByRole('article').first()).toBeVisible()
  await keepsFocus(page)
  await page.keyboard.press('Alt+t')
  await keepsFocus(page)
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.press('Alt+4')
  await expect(page).toHaveURL(/inbox\/all$/)
  await keepsFocus(page)
  await row(page, 'Sol Second').click()
  await keepsFocus(page)
  await row(page, 'Fay First').click()
  await replyOf(page).focus()
  await page.keyboard.press('Alt+j')
  await expect(page).not.toHaveURL(new RegExp(first))
  await keepsFocus(page)
  // Opening a conversation focuses no composer: the agent chooses one.
  expect(await focused(page)).not.toBe('Reply')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await keepsFocus(page)
})

test('the focus is never on the body of a narrow page', async ({ page }) => {
  await customer('Nia Narrow')
  await page.setViewportSize({ width: 390, height: 800 })
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Nia Narrow').click()
  await expect(page.getByRole('button', { name: 'Take', exact: true })).toBeVisible()
  await keepsFocus(page)
  await page.getByRole('button', { name: 'Take', exact: true }).click()
  await expect(replyOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(messagesOf(page)).toBeFocused()
})

test('canned replies are offered after any white space', async ({ page }) => {
  await answered(page, 'Cem')
  await page.request.post(`${server.url}/api/v2/canned_replies`, {
    data: { shortcut: 'wait', text: 'Please wait a moment.', is_shared: true },
    headers: { 'x-confab': '1' },
  })
  await page.keyboard.type('Thanks. /wai')
  await expect(page.getByRole('option', { name: /wait/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(replyOf(page)).toHaveValue('Thanks. Please wait a moment.')
  await replyOf(page).fill('')
  await page.keyboard.type('and/wai')
  await expect(page.getByRole('option')).toHaveCount(0)
})

test('Ctrl+Enter and Cmd+Enter submit a dialog from its fields', async ({ page }) => {
  for (const key of ['Control+Enter', 'Meta+Enter']) {
    const room = await answered(page, `Dialog by ${key.slice(0, 4)}`)
    await page.keyboard.press('Alt+e')
    await expect(page.getByRole('textbox', { name: 'Notes' })).toBeFocused()
    await page.keyboard.type('All was well.')
    // Enter alone adds a line.
    await page.keyboard.press('Enter')
    await page.keyboard.type('Really.')
    await page.keyboard.press(key)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible()
    expect(await posted(room)).toEqual(['Hello?', 'Good day.'])
    await page.context().clearCookies()
  }
})

test('a text that the device cannot store returns to the composer unless another was started', async ({
  page,
}) => {
  const room = await answered(page, 'Ferro Full')
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  await page.keyboard.type('Keep me')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').first()).toBeVisible()
  await expect(replyOf(page)).toHaveValue('Keep me')
  await page.keyboard.press('Alt+p')
  await page.keyboard.type('Keep me, too')
  await page.keyboard.press('Enter')
  await expect(noteOf(page)).toHaveValue('Keep me, too')
  expect(await posted(room)).toEqual(['Hello?', 'Good day.'])
})
