import { expect, type Page } from '@playwright/test'
import { Server } from './server'
import { Front, Shop } from './widget_front'

/** A chat server, and a shop on another origin with the widget on its pages. */
export class Street {
  /** Where the pages of the shop find the chat: at the server, or at the front before it. */
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

  /** The same, with somebody between the shop and the server who cuts off what a test says. */
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

  /** A page of the shop, with the line that brings the widget. */
  page(path: string, body: string, { policy = '', html = 'lang="en"', script = '' } = {}): void {
    const line = `<script src="${this.chat}/widget.js" data-app="${this.server.appId}" ${script} async></script>`
    const head = '<meta name="viewport" content="width=device-width"><title>Shop</title>'
    const page = `<!doctype html><html ${html}><head>${head}${line}</head><body>${body}</body></html>`
    this.shop.pages.set(path, { body: page, ...(policy ? { policy } : {}) })
  }

  /** The room of whoever is in this browser, once there is one. */
  async roomIn(page: Page): Promise<string> {
    await expect.poll(async () => (await this.kept(page)).session?.room).toBeTruthy()
    return (await this.kept(page)).session.room
  }

  async kept(page: Page) {
    const key = `confab:${this.server.appId}`
    return JSON.parse((await page.evaluate((key) => localStorage.getItem(key), key)) ?? '{}')
  }

  /** A visitor who said something, and their room. */
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

/** All that is shown as said, from the oldest to the newest. */
export const texts = (page: Page) => page.locator('article .bubble').allInnerTexts()

/** Everything that a policy forbade and every error of a script, as it happens. */
export function watch(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted/i.test(message.text())) troubles.push(message.text())
  })
  return troubles
}
