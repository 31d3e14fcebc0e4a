import { expect, type Page } from '@playwright/test'
import { Server } from './server'
import { Front, Shop } from './widget_front'

/** A chat server, and a shop on another origin whose pages include the widget. */
export class Street {
  /** URL of the chat server, or of the front before it. */
  chat: string

  private constructor(
    readonly server: Server,
    readonly front: Front,
    readonly shop: Shop,
  ) {
    this.chat = server.url
  }

  static async open(...flags: string[]): Promise<Street> {
    const server = await Server.start(...flags)
    const street = new Street(server, await Front.start(server), await Shop.start())
    street.furnish()
    return street
  }

  /** Opens a street whose shop reaches the server through the front. */
  static async openBehindFront(): Promise<Street> {
    const street = await Street.open()
    street.chat = street.front.url
    street.furnish()
    return street
  }

  private furnish(): void {
    this.page('/', '<h1>Shop</h1>')
    this.page('/other', '<h1>Other</h1>')
  }

  async close(): Promise<void> {
    this.shop.stop()
    this.front.stop()
    await this.server.stop()
  }

  /** Sets a page of the shop, including the widget's script. */
  page(path: string, body: string, { policy = '', html = 'lang="en"', script = '' } = {}): void {
    const line = `<script src="${this.chat}/widget.js" data-app="${this.server.appId}" ${script} async></script>`
    const head = '<meta name="viewport" content="width=device-width"><title>Shop</title>'
    const page = `<!doctype html><html ${html}><head>${head}${line}</head><body>${body}</body></html>`
    this.shop.pages.set(path, { body: page, ...(policy ? { policy } : {}) })
  }

  /** Returns the room of the widget in this page, once it exists. */
  async roomIn(page: Page): Promise<string> {
    await expect.poll(async () => (await this.kept(page)).session?.room).toBeTruthy()
    return (await this.kept(page)).session.room
  }

  async kept(page: Page) {
    const key = `confab:${this.server.appId}`
    return JSON.parse((await page.evaluate((key) => localStorage.getItem(key), key)) ?? '{}')
  }

  /** Posts a visitor's first message. Returns the room. */
  async begin(page: Page, text = 'Hello?', path = '/'): Promise<string> {
    await page.goto(this.shop.url + path)
    await launcher(page).click()
    await write(page, text)
    await expect(said(page, text)).toBeVisible()
    await expect(page.getByText(/· Sent$/)).toBeVisible()
    return this.roomIn(page)
  }
}

export const launcher = (page: Page) => page.getByRole('button', { name: /^Open chat/ })
export const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
export const said = (page: Page, text: string) =>
  page.getByRole('article').getByText(text, { exact: true })

export async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Returns the texts of all shown messages, oldest first. */
export const texts = (page: Page) => page.locator('article .bubble').allInnerTexts()

/** Collects script errors and violations of the page's content security policy. */
export function watch(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted/i.test(message.text())) troubles.push(message.text())
  })
  return troubles
}
