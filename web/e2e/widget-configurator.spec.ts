import { expect, type FrameLocator, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, SARI, signIn } from './helpers/people'
import { launcher, Street, watch } from './helpers/widget_helpers'

// The widget's configurator: settings, preview, and the result on a real page.

let street: Street

test.beforeAll(async () => {
  street = await Street.open()
  await makeSari(street.server)
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

async function open(page: Page): Promise<FrameLocator> {
  await signIn(page, street.server, admin(street.server))
  await page.goto(`${street.server.url}/dashboard/channels/widget`)
  await expect(page.getByRole('heading', { name: 'Widget', level: 1 })).toBeVisible()
  const preview = page.frameLocator('iframe')
  await expect(preview.locator('article')).toHaveCount(2)
  return preview
}

const part = (page: Page, name: string) => page.getByRole('region', { name })
const save = async (page: Page) => {
  // The message of an earlier save stays visible for a while.
  const saved = page.waitForResponse((it) => it.request().method() !== 'GET')
  await page.getByRole('button', { name: 'Save' }).click()
  await saved
  await expect(page.getByText(/^Saved\./).last()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
}

test('the preview follows every change, and none is saved', async ({ page }) => {
  const preview = await open(page)
  const header = preview.locator('.header')
  await page.getByRole('textbox', { name: 'Color', exact: true }).fill('#b00020')
  await expect(header).toHaveCSS('background-color', 'rgb(176, 0, 32)')
  await page.getByLabel('Pick a color').fill('#225522')
  await expect(header).toHaveCSS('background-color', 'rgb(34, 85, 34)')
  const panel = preview.locator('.panel')
  const before = (await panel.boundingBox())?.x ?? 0
  await page.getByRole('combobox', { name: 'Position' }).selectOption('start')
  await expect.poll(async () => (await panel.boundingBox())?.x ?? 0).toBeLessThan(before)
  await page.getByRole('combobox', { name: 'Light or dark' }).selectOption('dark')
  await expect(preview.locator('.root')).toHaveAttribute('data-scheme', 'dark')
  const english = page.getByRole('group', { name: 'English' })
  const indonesian = page.getByRole('group', { name: 'Bahasa Indonesia' })
  await english.getByRole('textbox', { name: 'Title' }).fill('Ask us')
  await expect(preview.getByText('Ask us')).toBeVisible()
  await indonesian.getByRole('textbox', { name: 'Welcome' }).fill('Selamat datang!')
  await expect(preview.getByText('Selamat datang!')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Language' })).toHaveValue('id')
  await english.getByRole('textbox', { name: 'When nobody is available' }).fill('Back at nine.')
  await expect(preview.getByText('Back at nine.')).toBeVisible()
  await page.getByRole('button', { name: 'Add a question' }).click()
  const question = page.getByRole('group', { name: 'Question 1' })
  await question.getByRole('textbox', { name: 'Label (English)' }).fill('Your name')
  await expect(preview.getByText('Your name (optional)')).toBeVisible()
  await question.getByRole('checkbox', { name: 'Required' }).check()
  await expect(preview.getByText('Your name', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Remove question 1' }).click()
  await expect(preview.getByText('Your name')).toHaveCount(0)
  await page.getByRole('checkbox', { name: /signed-in customers/ }).check()
  await expect(preview.getByText('Sign in to this site to write to us.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('closed')
  await expect(preview.locator('.launcher')).toBeVisible()
  await page.getByRole('button', { name: 'Undo changes' }).click()
  await expect(page.getByRole('textbox', { name: 'Color', exact: true })).toHaveValue('#0b6bcb')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Color', exact: true })).toHaveValue('#0b6bcb')
  const kept = await page.evaluate(() => Object.keys(localStorage))
  expect(kept.filter((key) => key.startsWith('confab:'))).toEqual([])
})

test('invalid input is reported before it is sent', async ({ page }) => {
  await open(page)
  const colour = page.getByRole('textbox', { name: 'Color', exact: true })
  const verdict = part(page, 'Appearance').getByRole('status')
  for (const [chosen, said] of [
    ['#0b6bcb', /easy to read/],
    ['#ffd400', /On a white page .* hard to see/],
    ['#101010', /On a black page .* hard to see/],
  ] as const) {
    await colour.fill(chosen)
    await expect(verdict).toHaveText(said)
  }
  await colour.fill('#12')
  await expect(page.getByText(/^Six digits/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await colour.fill('#0b6bcb')
  const sites = page.getByRole('textbox', { name: 'Sites that may show the widget' })
  await sites.fill('https://shop.example.com\nhttps://shop.example.com/path')
  await expect(page.getByText(/^https:\/\/shop\.example\.com\/path is not a site/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await sites.fill('https://shop.example.com')
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled()
  await page.getByRole('button', { name: 'Undo changes' }).click()
  await expect(sites).toHaveValue('')
  // Errors that only the server detects are shown in its words.
  for (const number of [1, 2]) {
    await page.getByRole('button', { name: 'Add a question' }).click()
    const question = page.getByRole('group', { name: `Question ${number}` })
    await question.getByRole('textbox', { name: 'Key' }).fill('name')
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('must not repeat a key')
})

test('saved settings apply to the widget on a real page', async ({ page, context }) => {
  await open(page)
  await page.getByRole('textbox', { name: 'Color', exact: true }).fill('#b00020')
  await page.getByRole('combobox', { name: 'Position' }).selectOption('start')
  const english = page.getByRole('group', { name: 'English' })
  await english.getByRole('textbox', { name: 'Title' }).fill('Ask us')
  await english.getByRole('textbox', { name: 'Welcome' }).fill('Welcome in!')
  await page.getByRole('button', { name: 'Add a question' }).click()
  const question = page.getByRole('group', { name: 'Question 1' })
  await question.getByRole('textbox', { name: 'Label (English)' }).fill('Your name')
  await question.getByRole('checkbox', { name: 'Required' }).check()
  const sites = page.getByRole('textbox', { name: 'Sites that may show the widget' })
  await sites.fill(street.shop.url)
  await save(page)
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  const shop = await context.newPage()
  await shop.goto(street.shop.url)
  await expect(launcher(shop)).toHaveCSS('background-color', 'rgb(176, 0, 32)')
  expect((await launcher(shop).boundingBox())?.x).toBe(20)
  await launcher(shop).click()
  await expect(shop.getByRole('dialog', { name: 'Ask us' })).toBeVisible()
  await expect(shop.getByText('Welcome in!')).toBeVisible()
  await expect(shop.getByRole('textbox', { name: 'Your name' })).toBeVisible()
  // The other origin is not in the list.
  await sites.fill('https://shop.example.com')
  await save(page)
  const refused = shop.waitForResponse((it) => it.url().includes('/api/v2/widget/'))
  await shop.goto(`${street.shop.url}/other`)
  expect((await refused).status()).toBe(403)
  await expect(shop.locator('confab-chat')).toHaveCount(0)
  // Only identified customers.
  await sites.fill('')
  await page.getByRole('checkbox', { name: /signed-in customers/ }).check()
  await save(page)
  await shop.goto(street.shop.url)
  await expect(shop.getByText('Sign in to this site to write to us.')).toBeVisible()
})

test('settings that another admin saved in the meantime are kept', async ({ page }) => {
  await open(page)
  await page.getByRole('textbox', { name: 'Color', exact: true }).fill('#225522')
  const texts = { en: { title: 'Ask Rina' } }
  await street.server.widget({ texts, theme: { colour: '#0b6bcb', position: 'start' } })
  await save(page)
  await expect(page.getByRole('combobox', { name: 'Position' })).toHaveValue('start')
  const english = page.getByRole('group', { name: 'English' })
  await expect(english.getByRole('textbox', { name: 'Title' })).toHaveValue('Ask Rina')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Color', exact: true })).toHaveValue('#225522')
  await expect(english.getByRole('textbox', { name: 'Title' })).toHaveValue('Ask Rina')
})

test('the copied script line and policy lines work', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page)
  const copied = async (at: number) => {
    const button = part(page, 'On your page')
      .getByRole('button', { name: /^Cop(y|ied)$/ })
      .nth(at)
    await button.click()
    await expect(button).toHaveAccessibleName('Copied')
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const line = await copied(0)
  const lines = await copied(1)
  const directives = lines.split('\n').map((it) => it.trim())
  expect(directives.map((it) => it.split(/\s+/)[0])).toEqual([
    'script-src',
    'connect-src',
    'img-src',
  ])
  const policy = `default-src 'none'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; ${directives.join('; ')}`
  const body = `<!doctype html><html lang="en"><title>Shop</title><body>${line}</body></html>`
  street.shop.pages.set('/copied', { body, policy })
  const shop = await context.newPage()
  const found = watch(shop)
  await shop.goto(`${street.shop.url}/copied`)
  await launcher(shop).click()
  await shop.getByRole('textbox', { name: 'Message' }).fill('Hello?')
  await shop.keyboard.press('Enter')
  await expect(shop.getByText(/· Sent$/)).toBeVisible()
  expect(found).toEqual([])
})

test('agents cannot open the widget screen or call its API', async ({ page }) => {
  await signIn(page, street.server, SARI)
  await expect(page.getByRole('link', { name: 'Channels' })).toHaveCount(0)
  await page.goto(`${street.server.url}/dashboard/channels/widget`)
  await expect(page.getByRole('alert', { name: 'Your role has no access' })).toBeVisible()
  const statuses = await page.evaluate(async () => {
    const ask = (method: string, body?: string) =>
      fetch('/api/v2/widget_settings', {
        method,
        headers: { 'x-confab': '1', 'content-type': 'application/json' },
        ...(body ? { body } : {}),
      }).then((it) => it.status)
    return [await ask('GET'), await ask('PUT', '{}')]
  })
  expect(statuses).toEqual([403, 403])
})

test('the widget screen shows loading, failure to load and failure to save', async ({ page }) => {
  await signIn(page, street.server, admin(street.server))
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // The network is slow once, then broken; the server works.
  await page.route('**/api/v2/widget_settings', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${street.server.url}/dashboard/channels/widget`)
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  release()
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  await page.unroute('**/api/v2/widget_settings')
  await page.getByRole('textbox', { name: 'Color', exact: true }).fill('#b00020')
  await page.context().setOffline(true)
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.context().setOffline(false)
  await page.route('**/api/v2/widget_settings', (route) => route.abort())
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Color', exact: true })).toHaveValue('#b00020')
  await page.unroute('**/api/v2/widget_settings')
  await save(page)
  await street.server.kill('SIGTERM')
  await street.server.startAgain()
  await page.route('**/api/v2/widget_settings', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await page.unroute('**/api/v2/widget_settings')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('textbox', { name: 'Color', exact: true })).toHaveValue('#b00020')
})

for (const language of ['en', 'id'] as const) {
  test(`the widget screen is accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(180_000)
    await open(page)
    await page.goto(`${street.server.url}/dashboard/channels/widget?lang=${language}`)
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page
      .getByRole('button', { name: language === 'en' ? 'Add a question' : /Tambah/ })
      .click()
    await look('as it is')
    await page.locator('input[maxlength="7"]').first().fill('#12')
    await page.getByPlaceholder('https://shop.example.com').fill('nowhere')
    await look('wrong')
    expect(seen).toEqual({})
  })
}
