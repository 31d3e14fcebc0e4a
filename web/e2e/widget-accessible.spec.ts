import { expect, test } from '@playwright/test'
import { troubles, troublesAnywhere } from './helpers/axe'
import { requests } from './helpers/people'
import { Street, watch, write } from './helpers/widget_helpers'

let street: Street

test.beforeAll(async () => {
  street = await Street.open('--upload-max-bytes', '1000')
  const body = '<main><h1>Shop</h1></main>'
  const head = '<meta name="color-scheme" content="light dark">'
  for (const lang of ['en', 'id']) {
    street.page(`/${lang}`, head + body, { html: `lang="${lang}"` })
  }
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

for (const language of ['en', 'id']) {
  test(`the widget is accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(120_000)
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page, [1440, 320])
      if (found.length > 0) seen[name] = found
    }
    const label = { en: 'Name', id: 'Nama' }
    const fields = [{ key: 'name', type: 'text', is_required: true, label }]
    await street.server.widget({ fields })
    await street.server.available(false)
    await page.goto(`${street.shop.url}/${language}`)
    const launcher = page.locator('.launcher')
    await expect(launcher).toBeVisible()
    await look('the launcher')
    await launcher.click()
    await page.locator('.primary').click()
    await expect(page.locator('.field .wrong')).toBeVisible()
    await look('questions')
    await page.locator('.field input').fill('Ana')
    await page.keyboard.press('Enter')
    await page.locator('textarea').fill('Where is my order? https://example.com/1')
    await page.keyboard.press('Enter')
    await expect(page.locator('.own:not(.waiting)')).toHaveCount(1)
    const room = await street.roomIn(page)
    const payload = { url: '', method: 'get', payload: null }
    const button = { label: 'Order', type: 'postback', payload }
    const card = { image: '', title: 'Tea', description: 'Hot', url: '', buttons: [button] }
    await street.server.reply(room, '', {
      type: 'buttons',
      payload: { text: 'So?', buttons: [button] },
    })
    const action = { type: 'postback', postback_text: '', payload }
    const cards = ['a', 'b'].map(() => ({ ...card, default_action: action }))
    await street.server.reply(room, '', { type: 'carousel', payload: { cards } })
    const url = `${street.chat}/files/a.pdf`
    const file = { url, caption: 'Read', file_name: 'a.pdf', size: 1 }
    await street.server.reply(room, '', { type: 'file_attachment', payload: file })
    await page.locator('.header .icon').first().click()
    await expect(page.locator('.attached')).toBeVisible()
    await look('a conversation')
    const big = { name: 'big.bin', mimeType: 'text/plain', buffer: Buffer.alloc(2000) }
    await page.locator('input[type=file]').setInputFiles(big)
    await expect(page.getByRole('alert')).toBeVisible()
    await page.context().setOffline(true)
    await page.locator('textarea').fill('Later')
    await page.keyboard.press('Enter')
    await expect(page.locator('p.notice[role=status]')).toBeVisible()
    await look('without a connection, with a file that is too large')
    await page.context().setOffline(false)
    await expect(page.locator('p.notice[role=status], .waiting')).toHaveCount(0, {
      timeout: 45_000,
    })
    await page.locator('.header .icon').nth(1).click()
    await street.server.reply(room, 'One more')
    await expect(page.locator('.count')).toBeVisible()
    await look('something new')
    await launcher.click()
    await street.server.resolve(room)
    await expect(page.locator('.ended')).toBeVisible()
    await look('the end')
    await street.server.widget({ is_identity_required: true })
    // biome-ignore lint/suspicious/noExplicitAny: a global of the page
    await page.evaluate(() => void (window as any).Confab('forget'))
    await page.reload()
    await launcher.click()
    await expect(page.getByRole('alert')).toBeVisible()
    await look('who are you')
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: a global of the page
      void (window as any).Confab('identify', () => Promise.reject(new Error('no')))
    })
    await expect(page.getByRole('alert').getByRole('button')).toBeVisible()
    await look('nobody says who you are')
    expect(seen).toEqual({})
  })
}

test('text is readable on any color that an app chooses', async ({ page }) => {
  for (const colour of ['#ffd400', '#777777', '#000000', '#ffffff', '#e0007a']) {
    await street.server.widget({ theme: { colour } })
    await page.goto(`${street.shop.url}/en`)
    // The panel stays open across pages.
    if (colour === '#ffd400') await page.locator('.launcher').click()
    await expect(page.locator('textarea')).toBeVisible()
    expect(await troubles(page), colour).toEqual([])
  }
})

test('the chat page works under a strict policy, in the requested language', async ({ page }) => {
  const found = watch(page)
  await page.goto(`${street.chat}/chat/${street.server.appId}`)
  await expect(page.getByRole('button', { name: 'Close chat' })).toHaveCount(0)
  await write(page, 'By a link')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await street.server.reply(await street.roomIn(page), 'Welcome')
  await expect(page.getByRole('article').getByText('Welcome')).toBeVisible()
  expect(await troubles(page)).toEqual([])
  await page.goto(`${street.chat}/chat/${street.server.appId}?lang=id`)
  await expect(page.getByRole('textbox', { name: 'Pesan' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'id')
  expect(found).toEqual([])
})

test('only allowed origins can frame the chat page', async ({ page }) => {
  const address = `${street.chat}/chat/${street.server.appId}`
  const policy = `default-src 'none'; frame-src ${street.chat}`
  const body = `<!doctype html><html lang="en"><title>No scripts</title><iframe title="Chat" src="${address}"></iframe>`
  street.shop.pages.set('/framed', { body, policy })
  await street.server.widget({ allowed_origins: [street.shop.url] })
  await page.goto(`${street.shop.url}/framed`)
  const frame = page.frameLocator('iframe')
  await frame.getByRole('textbox', { name: 'Message' }).fill('From a frame')
  await page.keyboard.press('Enter')
  await expect(frame.getByText(/· Sent$/)).toBeVisible()
  for (const allowed_origins of [[], ['https://shop.example.com']]) {
    await street.server.widget({ allowed_origins })
    const refused = page.waitForEvent('console', (it) => it.text().includes('frame-ancestors'))
    await page.goto(`${street.shop.url}/framed`)
    await refused
  }
  // As a page of its own it is not restricted.
  await page.goto(address)
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
})

test('the preview makes no requests and stores nothing', async ({ page }) => {
  const made = requests(page)
  await page.goto(`${street.chat}/chat/${street.server.appId}?preview`)
  await expect(page.locator('article')).toHaveCount(2)
  const settings = { texts: { en: { title: 'New title' } } }
  await page.evaluate((settings) => {
    postMessage({ type: 'confab-preview', settings, view: 'conversation' }, location.origin)
  }, settings)
  await expect(page.getByText('New title')).toBeVisible()
  const calls = made.filter((it) => it.includes('/api/'))
  expect(calls).toEqual([`GET ${street.chat}/api/v2/widget/${street.server.appId}`])
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
  await page.keyboard.press('Tab')
  await expect(page.locator(':focus')).toHaveCount(0)
})
