import { expect, type Page, test } from '@playwright/test'
import { Server } from './helpers/server'

let server: Server
const SARI = ['sari@example.com', 'a password of hers'] as const
const BUDI = ['budi@example.com', 'a password of his'] as const

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.agent('Sari Dewi', ...SARI)
  await server.agent('Budi Santoso', ...BUDI)
})

test.afterAll(() => server.stop())

async function signIn(page: Page, [email, password]: readonly [string, string]) {
  await page.goto(`${server.url}/dashboard/`)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
}

const admin = () => ['admin@localhost', server.adminPassword] as const

let lastCustomer = 0

/** Creates a customer with a message and opens the conversation. Takes it if `isTaken`. */
async function open(page: Page, name: string, { isTaken = true, message = 'Hello?' } = {}) {
  lastCustomer += 1
  const user = `628${lastCustomer}`
  const room = await server.say('sms-gateway', user, name, message)
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  if (isTaken) {
    await page.getByRole('button', { name: 'Take' }).click()
    await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
  }
  const say = (message: string, more = {}) => server.say('sms-gateway', user, name, message, more)
  return { room, say }
}

async function reply(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Reply' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('article').getByText(text)).toBeVisible()
  await expect(page.getByText('Sending…')).toHaveCount(0)
}

/** Opens the menu of the message with a text. */
async function menuOf(page: Page, text: string) {
  const message = page.getByRole('article').filter({ hasText: text })
  await message.hover()
  await message.getByRole('button', { name: 'Message menu' }).click()
  return page.getByRole('menu')
}

test('an assigned colleague sees the conversation at once', async ({ page, browser }) => {
  await signIn(page, admin())
  const other = await (await browser.newContext()).newPage()
  await signIn(other, SARI)
  await open(page, 'Ana Assigned')
  await page.getByRole('button', { name: 'Assign' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByRole('searchbox', { name: 'Find a colleague' }).fill('sari')
  await dialogue.getByRole('button', { name: /^Sari Dewi/ }).click()
  await expect(dialogue).toHaveCount(0)
  await expect(page.getByText(/with .*Sari Dewi/)).toBeVisible()
  await other.getByRole('link', { name: 'Mine' }).click()
  await expect(other.getByRole('link', { name: /^Ana Assigned/ })).toBeVisible()
})

test('a conversation can be transferred, returned to the queue, and left', async ({ page }) => {
  await signIn(page, SARI)
  await open(page, 'Tara Transferred')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Transfer…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Budi Santoso/ })
    .click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveCount(0)
  await open(page, 'Quinn Queued')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Return to the queue' }).click()
  await page.getByRole('button', { name: 'Take' }).click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Leave' }).click()
  await expect(page.getByRole('button', { name: 'Take' })).toBeVisible()
})

test('a resolved conversation can be reopened, and resolving opens the next one', async ({
  page,
}) => {
  await signIn(page, SARI)
  const { room } = await open(page, 'Rina Resolved')
  const next = await open(page, 'Nina Next')
  await page.goto(`${server.url}/dashboard/inbox/mine/${room}`)
  await page.getByRole('button', { name: 'Resolve' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByRole('checkbox', { name: /next conversation/ }).check()
  await dialogue.getByRole('button', { name: 'Resolve' }).click()
  await expect(page).not.toHaveURL(new RegExp(room))
  expect(page.url()).toContain('/inbox/mine/')
  expect(next.room).not.toBe(room)
  await page.goto(`${server.url}/dashboard/inbox/resolved/${room}`)
  await page.getByRole('button', { name: 'Reopen' }).click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
})

test('canned replies and emojis are inserted at the cursor', async ({ page }) => {
  const canned = { shortcut: 'thanks', text: 'Thank you, {customer.name}!', is_shared: true }
  await signIn(page, admin())
  await page.request.post(`${server.url}/api/v2/canned_replies`, {
    data: canned,
    headers: { 'x-confab': '1' },
  })
  await open(page, 'Cici Canned')
  const box = page.getByRole('textbox', { name: 'Reply' })
  await box.pressSequentially('/tha')
  await expect(page.getByRole('option', { name: /thanks/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('Thank you, Cici Canned!')
  await box.pressSequentially(' :thumbs')
  await expect(page.getByRole('option', { name: /thumbs up/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('Thank you, Cici Canned! 👍 ')
  await page.getByRole('button', { name: 'Emoji' }).click()
  await page.getByRole('searchbox', { name: 'Find an emoji' }).fill('package')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('Thank you, Cici Canned! 👍 📦')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('article').getByText('📦')).toBeVisible()
})

test('attached files can fail, be retried, and are sent once', async ({ page }) => {
  await signIn(page, SARI)
  await open(page, 'Fitri Files')
  let tries = 0
  await page.route('**/api/v2/files', (route) => {
    tries += 1
    return tries === 1 ? route.abort() : route.continue()
  })
  const file = { name: 'order.txt', mimeType: 'text/plain', buffer: Buffer.from('one, two') }
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach file' }).click()
  await (await chosen).setFiles(file)
  await expect(page.getByText(/Not uploaded/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('textbox', { name: 'Reply' }).fill('Your order')
  await page.getByRole('button', { name: 'Send' }).click()
  const link = page.getByRole('article').getByRole('link', { name: 'order.txt' })
  await expect(link).toHaveCount(1)
  await expect(page.getByRole('article').getByText('Your order')).toHaveCount(1)
  const stored = await page.request.get((await link.getAttribute('href')) ?? '')
  expect(await stored.text()).toBe('one, two')
})

test('a reply quotes its message, and the quote links to it', async ({ page }) => {
  await signIn(page, SARI)
  const { say } = await open(page, 'Qori Quoted', { message: 'The first question' })
  for (let number = 1; number <= 30; number += 1) await say(`and ${number} more`)
  await expect(page.getByRole('article').getByText('and 30 more')).toBeVisible()
  await page.getByRole('list', { name: 'Messages' }).hover()
  await page.getByRole('textbox', { name: 'Reply' }).click()
  const menu = await menuOf(page, 'and 30 more')
  await menu.getByRole('menuitem', { name: 'Reply' }).click()
  await expect(page.getByText('Reply to Qori Quoted')).toBeVisible()
  await page.keyboard.type('The last answer')
  await page.keyboard.press('Enter')
  const answer = page.getByRole('article').filter({ hasText: 'The last answer' })
  await expect(answer.getByRole('button', { name: /and 30 more/ })).toBeVisible()
  await answer.getByRole('button', { name: /and 30 more/ }).click()
  await expect(page.locator('[data-is-target="true"]')).toContainText('and 30 more')
})

test('a link to a message shows it with the messages around it', async ({ page }) => {
  await signIn(page, SARI)
  const { room, say } = await open(page, 'Lina Linked', { message: 'message 0' })
  for (let number = 1; number <= 120; number += 1) await say(`message ${number}`)
  const answer = await page.request.get(
    `${server.url}/api/v2/customer_rooms/${room}/messages?limit=100`,
    { headers: { 'x-confab': '1' } },
  )
  const comments: { id_str: string; message: string }[] = (await answer.json()).data.comments
  const wanted = comments.find((it) => it.message === 'message 30')
  await page.goto(`${server.url}/dashboard/inbox/all/${room}?m=${wanted?.id_str}`)
  await expect(page.locator('[data-is-target="true"]')).toContainText('message 30')
  await say('message 121')
  await page.getByRole('button', { name: /1 new message|To the newest/ }).click()
  await expect(page.getByRole('article').getByText('message 121')).toBeVisible()
  await page.goto(`${server.url}/dashboard/inbox/all/${room}?m=1`)
  await expect(page.getByRole('article').getByText('message 121')).toBeVisible()
})

test('an agent sees that a colleague is typing and what they posted before replying', async ({
  page,
  browser,
}) => {
  await signIn(page, SARI)
  const { room } = await open(page, 'Mira Meanwhile')
  await page.getByRole('button', { name: 'Assign' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Budi Santoso/ })
    .click()
  const other = await (await browser.newContext()).newPage()
  await signIn(other, BUDI)
  await other.goto(`${server.url}/dashboard/inbox/mine/${room}`)
  const box = page.getByRole('textbox', { name: 'Reply' })
  // Text typed before the other page is ready is not announced to it.
  await expect(async () => {
    await box.fill('')
    await box.fill('It comes tomorrow.')
    await expect(other.getByText('Sari Dewi is typing…')).toBeVisible({ timeout: 2000 })
  }).toPass()
  await reply(other, 'It is there already.')
  await expect(page.getByRole('article').getByText('It is there already.')).toBeVisible()
  await box.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Budi Santoso replied')
  await page.getByRole('button', { name: 'Keep writing' }).click()
  await expect(box).toHaveValue('It comes tomorrow.')
  await box.press('Enter')
  await expect(page.getByRole('article').getByText('It comes tomorrow.')).toBeVisible()
})

test('notes are visible to colleagues only, and appear at once', async ({ page, browser }) => {
  await signIn(page, SARI)
  const { room } = await open(page, 'Nora Noted')
  const other = await (await browser.newContext()).newPage()
  await signIn(other, admin())
  await other.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await page.getByRole('tab', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note' }).fill('Pays late.')
  await page.keyboard.press('Enter')
  for (const each of [page, other]) {
    const panel = each.getByRole('region', { name: 'Customer' })
    await expect(panel.getByText('Pays late.')).toBeVisible()
    await expect(each.getByRole('article').getByText('Pays late.')).toHaveCount(0)
  }
  const panel = page.getByRole('region', { name: 'Customer' })
  await panel.getByRole('button', { name: /Edit Sari/ }).click()
  await panel.getByRole('textbox', { name: 'New text' }).fill('Pays on time.')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(other.getByText('Pays on time.')).toBeVisible()
  await other.getByRole('button', { name: /Delete Sari/ }).click()
  await expect(page.getByText('Pays on time.')).toHaveCount(0)
})

test('tags, infos and the name of a customer are edited in place', async ({ page }) => {
  await signIn(page, admin())
  await open(page, 'Tia Tagged')
  const panel = page.getByRole('region', { name: 'Customer' })
  const tags = panel.getByRole('list', { name: 'Tags' })
  await panel.getByRole('combobox', { name: 'Add tag' }).fill('vip')
  await page.keyboard.press('Enter')
  await expect(tags.getByText('vip')).toBeVisible()
  await panel.getByRole('button', { name: 'Remove vip' }).click()
  await expect(tags.getByText('vip')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Add to this conversation' }).click()
  await panel.getByRole('textbox', { name: 'Label' }).fill('Order')
  await panel.getByRole('textbox', { name: 'Value' }).fill('A-1001')
  await panel.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(panel.getByText('A-1001')).toBeVisible()
  await panel.getByRole('button', { name: 'Change Order' }).click()
  await panel.getByRole('textbox', { name: 'Order' }).fill('A-1002')
  await page.keyboard.press('Enter')
  await expect(panel.getByText('A-1002')).toBeVisible()
  await panel.getByRole('button', { name: 'Remove Order' }).click()
  await expect(panel.getByText('A-1002')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Change Name' }).click()
  await panel.getByRole('textbox', { name: 'Name' }).fill('Tia the Second')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Tia the Second' })).toBeVisible()
})

test('events are described in words, and earlier conversations are shown in place', async ({
  page,
}) => {
  await signIn(page, SARI)
  const { say } = await open(page, 'Hana History', { message: 'An old question' })
  await reply(page, 'An old answer')
  await page.getByRole('button', { name: 'Resolve' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByRole('textbox', { name: 'Notes' }).fill('All was well.')
  await dialogue.getByRole('checkbox', { name: /next conversation/ }).uncheck()
  await dialogue.getByRole('button', { name: 'Resolve' }).click()
  await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible()
  await say('A new question')
  await page.getByRole('button', { name: 'Take' }).click()
  const panel = page.getByRole('region', { name: 'Customer' })
  await expect(panel.getByText('Sari Dewi took the customer').first()).toBeVisible()
  await expect(panel.getByText('Sari Dewi resolved it')).toBeVisible()
  await expect(panel.getByText('All was well.')).toBeVisible()
  await panel.getByRole('button', { name: /Read the conversation of/ }).click()
  const past = panel.getByRole('list', { name: 'Transcript' })
  await expect(past.getByText('An old answer')).toBeVisible()
  await expect(past.getByText('A new question')).toHaveCount(0)
})

test('an agent edits and deletes their own message for all viewers', async ({ page, browser }) => {
  await signIn(page, SARI)
  const { room } = await open(page, 'Eka Edited')
  const other = await (await browser.newContext()).newPage()
  await signIn(other, admin())
  await other.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await reply(page, 'It comes todey.')
  await expect(other.getByRole('article').getByText('It comes todey.')).toBeVisible()
  const edit = await menuOf(page, 'It comes todey.')
  await edit.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Corrected text' }).fill('It comes today.')
  await page.keyboard.press('Enter')
  for (const each of [page, other]) {
    await expect(each.getByRole('article').getByText('It comes today.')).toBeVisible()
    await expect(each.getByText('· edited')).toBeVisible()
  }
  const menu = await menuOf(page, 'It comes today.')
  await menu.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  for (const each of [page, other]) {
    await expect(each.getByText('This message was deleted.')).toBeVisible()
    await expect(each.getByRole('article').getByText('It comes today.')).toHaveCount(0)
  }
})

test('an image that a customer hosts elsewhere is loaded only after a click', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) asked.push(request.url())
  })
  await page.route('https://pictures.example/**', (route) => route.abort())
  await signIn(page, SARI)
  const { say } = await open(page, 'Pita Pictured')
  const payload = { url: 'https://pictures.example/a.png', file_name: 'a.png', size: 3 }
  await say('a picture', { type: 'file_attachment', payload })
  const show = page.getByRole('button', { name: 'Show the picture from pictures.example' })
  await expect(show).toBeVisible()
  expect(asked).toEqual([])
  await show.click()
  await expect.poll(() => asked).toEqual(['https://pictures.example/a.png'])
})

test('each new message of others is announced once to screen readers', async ({ page }) => {
  await signIn(page, SARI)
  const { say } = await open(page, 'Sinta Said')
  await reply(page, 'One of mine')
  const log = page.getByRole('log')
  for (const text of ['first', 'second', 'third']) await say(text)
  await expect(log.getByText(/^Sinta Said, .*: third$/)).toHaveCount(1)
  for (const text of ['first', 'second']) {
    await expect(log.getByText(new RegExp(`: ${text}$`))).toHaveCount(1)
  }
  await expect(log.getByText('One of mine')).toHaveCount(0)
})
