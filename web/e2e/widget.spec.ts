import { expect, type Page, test } from '@playwright/test'
import { Server } from './server'
import { Front, SETTINGS, Shop } from './widget_front'

let server: Server
let front: Front
let shop: Shop

test.beforeAll(async () => {
  server = await Server.start()
  front = await Front.start(server)
  shop = await Shop.start()
  const script = `<script src="${front.url}/widget.js" data-app="${server.appId}" async></script>`
  const page = (title: string) =>
    `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${script}`
  shop.pages.set('/', { body: page('Shop') })
  shop.pages.set('/other', { body: page('Other') })
})

test.afterAll(async () => {
  shop.stop()
  front.stop()
  await server.stop()
})

test.beforeEach(() => {
  front.settings = { ...SETTINGS }
  front.trouble = null
})

const launcher = (page: Page) => page.getByRole('button', { name: /^Open chat/ })
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const said = (page: Page, text: string) =>
  page.getByRole('article').getByText(text, { exact: true })

async function write(page: Page, text: string) {
  await field(page).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** The room of whoever is in this browser, once there is one. */
async function roomOf(page: Page): Promise<string> {
  const kept = () => page.evaluate((key) => localStorage.getItem(key), `confab:${server.appId}`)
  await expect.poll(async () => JSON.parse((await kept()) ?? '{}').session?.room).toBeTruthy()
  return JSON.parse((await kept()) ?? '{}').session.room
}

test('a visitor writes, an agent answers, and the next page goes on', async ({ page }) => {
  await page.goto(shop.url)
  await launcher(page).click()
  await expect(field(page)).toBeFocused()
  await write(page, 'Where is my order?')
  await expect(said(page, 'Where is my order?')).toBeVisible()
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await server.reply(await roomOf(page), 'It is on its way.')
  await expect(said(page, 'It is on its way.')).toBeVisible()
  await page.goto(`${shop.url}/other`)
  await expect(said(page, 'It is on its way.')).toBeVisible()
  await page.getByRole('button', { name: 'Close chat' }).click()
  await expect(launcher(page)).toBeFocused()
})
