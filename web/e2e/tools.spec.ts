// Tools for conversations: custom buttons, canned replies, tags.
import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, row, SARI, signIn, take } from './helpers/people'
import { Receiver, Server } from './helpers/server'

let server: Server
let receiver: Receiver

test.beforeAll(async () => {
  server = await Server.start()
  receiver = await Receiver.start()
  await makeSari(server)
  await server.agent('Sita', 'sita@example.com', 'a password of hers', 'supervisor')
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
})

test.afterAll(async () => {
  receiver.stop()
  await server.stop()
})

const item = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

test('a custom button is created, tested, changed and deleted', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Tools' }).click()
  await expect(page.getByText('There is no custom button yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Add a button' }).click()
  await page.getByRole('textbox', { name: 'Label' }).fill('Open a ticket')
  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
  await page.keyboard.press('Enter')
  const ticket = item(page, 'Open a ticket')
  await expect(ticket).toContainText(receiver.url)
  await ticket.getByRole('button', { name: 'Test press: Open a ticket' }).click()
  await expect(ticket.getByText('The receiver accepted the example (200)')).toBeVisible()
  expect(receiver.bodies).toHaveLength(1)
  await ticket.getByRole('button', { name: 'Change: Open a ticket' }).click()
  await page.getByRole('textbox', { name: 'Label' }).fill('Call back')
  await page.getByRole('checkbox', { name: 'Switched on' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(item(page, 'Call back')).toContainText('Off')
  await page.getByRole('button', { name: 'Delete: Call back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('There is no custom button yet.')).toBeVisible()
})

test('a rejected change shows the error and keeps the input', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/tools`)
  await page.getByRole('button', { name: 'Add a button' }).click()
  await page.getByRole('textbox', { name: 'Label' }).fill('Odd')
  await page.getByRole('textbox', { name: 'URL' }).fill('ftp://example.com')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('webhook_url')
  await expect(page.getByRole('textbox', { name: 'Label' })).toHaveValue('Odd')
  await page.keyboard.press('Escape')
  await page.context().setOffline(true)
  await expect(page.getByRole('button', { name: 'Add a button' })).toBeDisabled({ timeout: 25_000 })
  await page.context().setOffline(false)
  await expect(page.getByRole('button', { name: 'Add a button' })).toBeEnabled({ timeout: 25_000 })
})

test('a canned reply inserts the name of the customer, and is shared or private', async ({
  page,
}) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/tools`)
  await page.getByRole('tab', { name: 'Canned replies' }).click()
  await expect(page).toHaveURL(/tools\/replies$/)
  await page.getByRole('button', { name: 'Add a reply' }).click()
  await page.getByRole('textbox', { name: 'Shortcut' }).fill('/hello')
  await page.getByRole('textbox', { name: 'Text' }).fill('Good morning ')
  await page.getByRole('button', { name: "Insert the customer's name" }).click()
  await expect(page.getByText('Preview: Good morning Ana')).toBeVisible()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('English')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(item(page, '/hello')).toContainText('Shared')
  await expect(item(page, '/hello')).toContainText('English')
  // A duplicate shortcut would be ambiguous.
  await page.getByRole('button', { name: 'Add a reply' }).click()
  await page.getByRole('textbox', { name: 'Shortcut' }).fill('hello')
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello again')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('shortcut')
  await page.getByRole('textbox', { name: 'Shortcut' }).fill('bye')
  await page.getByRole('checkbox', { name: 'For everybody' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(item(page, '/bye')).toContainText('Only yours')
  await page.getByRole('searchbox').fill('morning')
  await expect(item(page, '/bye')).toHaveCount(0)
  await expect(item(page, '/hello')).toBeVisible()
  await page.getByRole('searchbox').fill('')
  await page.getByRole('button', { name: 'Delete: /bye' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(item(page, '/bye')).toHaveCount(0)
  await take(page, server, 'Ana Lopez')
  await page.getByRole('textbox', { name: 'Reply' }).fill('/hel')
  await expect(page.getByRole('option', { name: /hello/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('Good morning Ana Lopez')
})

test('tags are colored, renamed, merged and deleted on all conversations', async ({ page }) => {
  const room = await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
  for (const tag of ['urgent', 'Urgent!', 'refund']) {
    await server.call('POST', `/api/v2/room_tags/${room}`, { tag })
  }
  // Supervisors may edit tags; only admins may edit buttons.
  await signIn(page, server, { email: 'sita@example.com', password: 'a password of hers' })
  await page.goto(`${server.url}/dashboard/tools`)
  await expect(page.getByText('Only admins can change buttons.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a button' })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Tags' }).click()
  await expect(item(page, 'refund')).toContainText('1 conversation')
  await page.getByRole('button', { name: 'Change: refund' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('money back')
  await page.getByRole('checkbox', { name: 'With a color' }).check()
  await page.getByLabel('Color', { exact: true }).fill('#b3121d')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(item(page, 'money back')).toBeVisible()
  await page.getByRole('button', { name: 'Merge: Urgent!' }).click()
  await page.getByRole('combobox', { name: 'Into' }).selectOption('urgent')
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click()
  await expect(item(page, 'Urgent!')).toHaveCount(0)
  await item(page, 'money back').getByRole('link').click()
  await expect(page).toHaveURL(/inbox\/all\?tag=money/)
  await expect(row(page, 'Dian')).toContainText('money back')
  await page.goBack()
  await page.getByRole('button', { name: 'Delete: urgent' }).click()
  await expect(page.getByRole('dialog')).toContainText('It is removed from 1 conversation.')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(item(page, 'urgent')).toHaveCount(0)
})

test('agents cannot open the tools screen', async ({ page }) => {
  await signIn(page, server, SARI)
  await expect(page.getByRole('link', { name: 'Tools' })).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/tools/tags`)
  await expect(page.getByRole('alert')).toContainText('Only admins and supervisors')
})

for (const language of ['en', 'id'] as const) {
  test(`the tools screens are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(240_000)
    const room = await server.say('sms-gateway', '62833', 'Budi', 'Hello?')
    await server.call('POST', `/api/v2/room_tags/${room}`, { tag: `to be looked at ${language}` })
    const reply = { shortcut: `thanks-${language}`, text: 'Thank you, {customer.name}!' }
    await server.call('POST', '/api/v2/canned_replies', { ...reply, is_shared: true })
    const button = { label: `Ticket ${language}`, webhook_url: receiver.url }
    await server.call('POST', '/api/v2/custom_buttons', button)
    await signIn(page, server, admin(server))
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    const open = (part: string) =>
      page.goto(`${server.url}/dashboard/tools/${part}?lang=${language}`)
    await open('buttons')
    await page
      .getByRole('button', { name: /^(Test press|Uji tekan)/ })
      .first()
      .click()
    await expect(page.getByText(/\(200\)/)).toBeVisible()
    await look('buttons')
    await page
      .getByRole('button', { name: /^(Change|Ubah)/ })
      .first()
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('a button')
    await open('replies')
    await page
      .getByRole('button', { name: /^(Change|Ubah)/ })
      .first()
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('a reply')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await look('replies')
    await open('tags')
    await expect(page.getByText(/to be looked at/).first()).toBeVisible()
    await look('tags')
    await page
      .getByRole('button', { name: /^(Change|Ubah)/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('checkbox').check()
    await look('a tag')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /^(Merge|Gabungkan)/ })
      .first()
      .click()
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible()
    await look('merging')
    expect(seen).toEqual({})
  })
}
