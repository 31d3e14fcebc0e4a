// Takes the screenshots of docs/dashboard.md and of the README: an afternoon of a small shop.
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { admin, makeSari, row, SARI, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

const FOLDER = join(import.meta.dirname, '../../docs/pictures')
const WIDE = { width: 1280, height: 760 }

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.channel('chat-bridge')
  const said = [
    ['sms-gateway', '62811', 'Rina Wulandari', 'Do you send to Bali?'],
    ['chat-bridge', 'joko', 'Joko Susilo', 'My voucher does not work.'],
    ['sms-gateway', '62812', 'Maria Santos', 'Can I return the blue one?'],
    ['chat-bridge', 'wayan', 'Wayan Putra', 'Thank you, it arrived today!'],
    ['sms-gateway', '62813', 'Ana Lopez', 'Hello, where is my order 4711?'],
    ['sms-gateway', '62813', 'Ana Lopez', 'It was promised for yesterday.'],
  ] as const
  for (const [channel, user, name, text] of said) await server.say(channel, user, name, text)
})

test.afterAll(() => server.stop())

async function takePicture(page: Page, name: string): Promise<void> {
  // Screenshots contain no cursor and no animation.
  await page.screenshot({
    path: join(FOLDER, `${name}.png`),
    animations: 'disabled',
    caret: 'hide',
  })
}

test('takes the screenshots of the inbox', async ({ page }) => {
  test.slow()
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, server, SARI)
  await take(page, server, 'Ana Lopez')
  const room = page.url().split('/').at(-1)
  const reply = page.getByRole('textbox', { name: 'Reply' })
  await reply.fill('Good afternoon Ana! Let me look. It left our store this morning.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article')).toHaveCount(3)
  await server.say('sms-gateway', '62813', 'Ana Lopez', 'Wonderful, thank you!')
  await expect(page.getByRole('article')).toHaveCount(4)
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await expect(row(page, 'Rina Wulandari')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(4)
  await takePicture(page, 'inbox')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toBeVisible()
  await takePicture(page, 'commands')
  await page.keyboard.press('Escape')
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await takePicture(page, 'inbox-dark')
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 390, height: 760 })
  await page.goto(`${server.url}/dashboard/inbox/all`)
  await expect(row(page, 'Rina Wulandari')).toBeVisible()
  await takePicture(page, 'inbox-narrow')
  await page.setViewportSize(WIDE)
  await page.goto(`${server.url}/dashboard/me`)
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()
  await takePicture(page, 'myself')
  await page.goto(`${server.url}/dashboard/inbox/all/${room}?lang=id`)
  await expect(row(page, 'Rina Wulandari')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(4)
  await takePicture(page, 'inbox-indonesian')
})

const REPLIES = [
  ['hello', 'Good afternoon {customer.name}! How can I help you?', 'en'],
  ['halo', 'Selamat siang {customer.name}! Ada yang bisa saya bantu?', 'id'],
  ['late', 'I am sorry for the delay. Your parcel leaves our store today.', 'en'],
] as const

test('takes the screenshots of the other screens', async ({ page }) => {
  test.slow()
  for (const [shortcut, text, language] of REPLIES) {
    const reply = { shortcut, text, language, is_shared: true }
    await server.call('POST', '/api/v2/canned_replies', reply)
  }
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/tools/replies`)
  await expect(page.getByText('/late')).toBeVisible()
  await takePicture(page, 'tools')
  await page.goto(`${server.url}/dashboard/inbox/all`)
  for (const name of ['Wayan Putra', 'Joko Susilo']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  }
  await expect(page.getByText('2 selected')).toBeVisible()
  await takePicture(page, 'several')
})
