import { expect, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { Server } from './helpers/server'

let server: Server
let room: string

const button = { label: 'Yes', type: 'postback', payload: { url: '', method: 'get' } }
const link = { label: 'Shop', type: 'link', payload: { url: 'https://shop.example' } }
const card = { title: 'Shoe', description: 'Red', text: 'Red', buttons: [button, link] }
const SAID: [string, Record<string, unknown>][] = [
  ['file_attachment', { url: 'https://a.example/a.png', file_name: 'a.png', size: 3, pages: 2 }],
  ['file_attachment', { url: 'https://a.example/a.pdf', file_name: 'a.pdf', caption: 'Read it' }],
  ['buttons', { text: 'Is it so?', buttons: [button, link] }],
  ['card', { ...card, image: 'https://a.example/b.png', url: 'https://shop.example' }],
  ['carousel', { cards: [card, card, card, card] }],
  ['location', { name: 'Post', address: 'Jl. Merdeka', latitude: -6.2, longitude: 106.8 }],
  ['contact_person', { name: 'Brother', value: '+62811', type: 'phone' }],
  ['account_linking', { text: 'Sign in', url: 'https://a.example', params: {} }],
  ['button_postback_response', { url: '', method: 'get', payload: null }],
  ['custom', { type: 'order', content: { id: 5 } }],
]

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.agent('Sari Dewi', 'sari@example.com', 'a password of hers')
  room = await server.say('sms-gateway', '62811', 'Ana Lopez', 'See https://example.com/1')
  for (const [type, payload] of SAID) {
    await server.say('sms-gateway', '62811', 'Ana Lopez', 'Yes', { type, payload })
  }
  await server.call('POST', `/api/v2/room_tags/${room}`, { tag: 'vip' })
})

test.afterAll(() => server.stop())

test('conversations and their dialogs are accessible', async ({ page }) => {
  test.setTimeout(240_000)
  const seen: Record<string, string[]> = {}
  const look = async (name: string, widths = [1440, 390]) => {
    const found = await troublesAnywhere(page, widths)
    if (found.length > 0) seen[name] = found
  }
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await page.getByRole('textbox', { name: 'Email' }).fill('admin@localhost')
  await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Take' }).click()
  const reply = page.getByRole('textbox', { name: 'Reply' })
  await reply.fill('Here it is.')
  await page.keyboard.press('Enter')
  await expect(page.getByText('· sent')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Tags' }).getByText('vip')).toBeVisible()
  await look('messages and panel', [1440, 320])
  await page.getByRole('list', { name: 'Messages' }).locator('..').press('Home')
  await page
    .getByRole('list', { name: 'Messages' })
    .locator('..')
    .evaluate((it) => {
      it.scrollTop = 0
    })
  await expect(page.getByRole('button', { name: /Show the picture/ }).first()).toBeVisible()
  await look('older messages')
  await page.getByRole('button', { name: 'Assign' }).click()
  await expect(page.getByRole('button', { name: /^Sari Dewi/ })).toBeVisible()
  await look('colleagues', [390])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More' }).click()
  await expect(page.getByRole('menuitem', { name: 'Leave' })).toBeVisible()
  await look('what else can be done', [390])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Emoji' }).click()
  await expect(page.getByRole('button', { name: 'wink', exact: true })).toBeVisible()
  await look('emoji', [390])
  await page.keyboard.press('Escape')
  await reply.pressSequentially(':wink')
  await expect(page.getByRole('option').first()).toBeVisible()
  await look('suggestions', [390])
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note' }).fill('For colleagues')
  await look('a note')
  await page
    .getByRole('region', { name: 'Customer' })
    .getByRole('button', { name: 'Change Name' })
    .click()
  await look('a field', [1440])
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByRole('button', { name: 'About the customer' }).click()
  await expect(page.getByRole('region', { name: 'Customer' })).toBeVisible()
  await look('the drawer', [390])
  expect(seen).toEqual({})
})
