import { expect, type Page, test } from '@playwright/test'
import { field, launcher, Street, said, watch, write } from './helpers/widget_helpers'
import { vectors } from './helpers/xss_vectors'

// Pages with strict policies or interfering scripts, and messages with malicious content.

let street: Street

test.beforeAll(async () => {
  street = await Street.open()
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

/** The strict content security policy of a shop, with three lines for the chat server. */
const strict = () => {
  const chat = street.chat
  return `default-src 'none'; script-src ${chat}; connect-src ${chat} ${chat.replace('http', 'ws')}; img-src ${chat}; style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
}

/** Collects all violations of the policy. */
async function violations(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    addEventListener('securitypolicyviolation', (it) =>
      seen.push(`${it.violatedDirective} ${it.blockedURI}`),
    )
  })
  // biome-ignore lint/suspicious/noExplicitAny: a global set above
  return () => page.evaluate(() => (window as any).seen)
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('everything works under a strict policy without violations', async ({ page }) => {
  street.page('/strict', '<h1>Strict</h1>', { policy: strict() })
  const name = { key: 'name', type: 'text', is_required: true, label: { en: 'Name' } }
  await street.server.widget({ fields: [name] })
  const troubles = watch(page)
  const forbidden = await violations(page)
  await page.goto(`${street.shop.url}/strict`)
  await launcher(page).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ana')
  await page.keyboard.press('Enter')
  await write(page, 'Hello?')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const room = await street.roomIn(page)
  await street.server.reply(room, '', {
    type: 'card',
    payload: { text: 'Tea', title: 'Tea', image: '', description: 'Hot', url: '', buttons: [] },
  })
  await expect(page.getByText('Hot')).toBeVisible()
  await page.locator('input[type=file]').setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: Buffer.from(PNG, 'base64'),
  })
  await expect(page.getByRole('link', { name: 'a.png' })).toBeVisible()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('id')
  await expect(page.getByRole('textbox', { name: 'Pesan' })).toBeVisible()
  const panel = page.getByRole('dialog')
  expect(await panel.evaluate((it) => getComputedStyle(it).borderRadius)).toBe('16px')
  const picture = page.getByRole('img', { name: 'a.png' })
  await expect.poll(() => picture.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(1)
  expect(await forbidden()).toEqual([])
  expect(troubles).toEqual([])
})

test('the styles of page and widget do not affect each other', async ({ page }) => {
  const look = async () => {
    const button = await launcher(page).boundingBox()
    await launcher(page).click()
    await write(page, 'Hello?')
    await expect(page.getByText(/· Sent$/)).toBeVisible()
    const panel = await page.getByRole('dialog').boundingBox()
    const style = await said(page, 'Hello?').evaluate((it) => {
      const { fontSize, fontFamily, letterSpacing, textTransform, lineHeight } =
        getComputedStyle(it)
      return { fontSize, fontFamily, letterSpacing, textTransform, lineHeight }
    })
    return { button, panel, style }
  }
  await page.goto(street.shop.url)
  const plain = await look()
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  await page.evaluate(() => void (window as any).Confab('forget'))
  const hostile = `html { font-size: 40px } *, *::before, *::after { all: revert; font: 60px/3 fantasy !important; color: red !important; letter-spacing: 1em !important; text-transform: uppercase !important; display: inline !important; position: static !important; opacity: 0.1 !important; visibility: hidden !important; transform: rotate(30deg) !important; pointer-events: none !important; z-index: -1 !important } button, textarea, section, div { display: none !important; width: 7px !important } confab-chat { display: none !important; all: unset !important }`
  street.page('/hostile', `<style>${hostile}</style><p id="probe">Text</p>`)
  await page.goto(`${street.shop.url}/hostile`)
  const before = await page.locator('#probe').evaluate((it) => getComputedStyle(it).cssText)
  expect(await look()).toEqual(plain)
  expect(await page.locator('#probe').evaluate((it) => getComputedStyle(it).cssText)).toBe(before)
})

test('the page sets color, gap and font by custom properties', async ({ page }) => {
  const style = 'body { --confab-colour: #b00020; --confab-gap: 40px; --confab-font: monospace }'
  street.page('/styled', `<style>${style}</style>`)
  await page.setViewportSize({ width: 1000, height: 700 })
  await page.goto(`${street.shop.url}/styled`)
  await expect(launcher(page)).toHaveCSS('background-color', 'rgb(176, 0, 32)')
  expect(await launcher(page).boundingBox()).toMatchObject({ x: 1000 - 40 - 56, y: 700 - 40 - 56 })
  await launcher(page).click()
  await expect(field(page)).toHaveCSS('font-family', 'monospace')
})

test('keys typed in the chat do not trigger shortcuts of the page', async ({ page }) => {
  const script =
    "<script>heard = []; for (const it of ['keydown', 'keyup', 'keypress', 'paste']) { document.addEventListener(it, (event) => heard.push(event.key ?? it)); window.addEventListener(it, (event) => heard.push(event.key ?? it)) } document.addEventListener('focusin', (event) => { if (event.target.localName === 'confab-chat') document.getElementById('trap').focus() })</script><input id=trap>"
  street.page('/keys', script)
  await page.goto(`${street.shop.url}/keys`)
  await launcher(page).click()
  await expect(field(page)).toBeFocused()
  await field(page).pressSequentially('/help? k')
  await page.keyboard.press('Enter')
  await expect(said(page, '/help? k')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(launcher(page)).toBeFocused()
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  expect(await page.evaluate(() => (window as any).heard)).toEqual([])
  await page.locator('#trap').press('x')
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  expect(await page.evaluate(() => (window as any).heard)).toContain('x')
})

test('the conversation survives a replaced body', async ({ page }) => {
  await street.begin(page)
  await page.evaluate(() => {
    const body = document.createElement('body')
    body.textContent = 'Another page of the same application'
    document.body.replaceWith(body)
  })
  await expect(said(page, 'Hello?')).toBeVisible()
  await write(page, 'Still here')
  await expect(said(page, 'Still here')).toBeVisible()
})

test('including the script twice draws one launcher', async ({ page }) => {
  const line = `<script src="${street.chat}/widget.js" data-app="${street.server.appId}" async></script>`
  street.page('/twice', line)
  await page.goto(`${street.shop.url}/twice`)
  await expect(launcher(page)).toHaveCount(1)
  await expect(page.locator('confab-chat')).toHaveCount(1)
})

test('an app that does not exist draws no launcher', async ({ page }) => {
  const line = `<h1>Page</h1><script src="${street.chat}/widget.js" data-app="nobody" async></script>`
  street.shop.pages.set('/nobody', { body: `<!doctype html>${line}` })
  const answered = page.waitForResponse(/api\/v2\/widget\/nobody/)
  await page.goto(`${street.shop.url}/nobody`)
  await answered
  await expect(page.getByRole('heading', { name: 'Page' })).toBeVisible()
  await expect(page.locator('confab-chat')).toHaveCount(0)
})

test('content sent by an agent runs no script, opens no page and makes no request', async ({
  page,
}) => {
  test.setTimeout(180_000)
  street.page('/strict', '<h1>Strict</h1>', { policy: strict() })
  const outside: string[] = []
  const troubles = watch(page)
  const own = [street.shop.url, street.chat, street.server.url]
  page.on('request', (it) => {
    if (!own.some((url) => it.url().startsWith(url))) outside.push(it.url())
  })
  page.on('dialog', (it) => {
    outside.push(`dialog ${it.message()}`)
    void it.dismiss()
  })
  await page.addInitScript(() => Object.assign(window, { pwned: () => alert('pwned') }))
  const room = await street.begin(page, 'Hello?', '/strict')
  const bad = vectors()
  expect(bad.length).toBeGreaterThanOrEqual(500)
  // The server rejects some of them, which is also fine.
  const refusals: string[] = []
  const reply = (message: string, more = {}) =>
    street.server.reply(room, message, more).then(
      () => 1,
      (error: Error) => {
        refusals.push(error.message)
        return 0
      },
    )
  let taken = 0
  for (const text of bad) taken += await reply(text)
  expect(taken).toBeGreaterThan(400)
  for (const text of bad.filter((_, at) => at % 8 === 0)) {
    const payload = { url: text, method: 'get', payload: null }
    const button = { label: text, type: 'postback', postback_text: text, payload }
    const link = { label: text, type: 'link', payload: { url: text } }
    const card = {
      image: '',
      title: text,
      description: text,
      url: text,
      text,
      buttons: [button, link],
    }
    await reply('', { type: 'buttons', payload: { text, buttons: [button, link] } })
    await reply('', { type: 'card', payload: card })
    await reply('', { type: 'carousel', payload: { cards: [{ ...card, default_action: button }] } })
    const place = { name: text, address: text, latitude: 1, longitude: 1, map_url: text }
    await reply('', { type: 'location', payload: place })
    await reply('', { type: 'contact_person', payload: { name: text, value: text, type: 'phone' } })
    await reply('', {
      type: 'account_linking',
      payload: {
        text,
        url: text,
        redirect_url: text,
        params: {
          user_id: 'a',
          topic_id: 'b',
          button_text: text,
          view_title: text,
          success_message: text,
        },
      },
    })
    await reply(text, {
      type: 'file_attachment',
      payload: { url: text, caption: text, file_name: text, size: 1, pages: 1 },
    })
    await reply('', { type: 'custom', payload: { type: text, content: text } })
  }
  expect(refusals.filter((it) => !/: 400 /.test(it))).toEqual([])
  await street.server.reply(room, 'The end')
  await expect(said(page, 'The end')).toBeVisible({ timeout: 60_000 })
  const links = await page
    .locator('confab-chat a')
    .evaluateAll((all) => all.map((it) => (it as HTMLAnchorElement).href))
  expect(links.filter((it) => !/^(https?|tel|mailto):/.test(it))).toEqual([])
  for (const button of await page.locator('article .button').all()) {
    if ((await button.evaluate((it) => it.localName)) === 'button') {
      await button.click({ timeout: 5000 })
      break
    }
  }
  expect(await page.locator('confab-chat script, confab-chat iframe').count()).toBe(0)
  expect(outside).toEqual([])
  expect(troubles).toEqual([])
})
