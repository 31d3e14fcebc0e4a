import { createHmac } from 'node:crypto'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { field, launcher, Street, said, write } from './widget_helpers'

// Customers whom the shop's own server vouches for.

let street: Street

test.beforeAll(async () => {
  street = await Street.open()
  street.page(
    '/known',
    "<script>Confab = function () { (Confab.q = Confab.q || []).push(arguments) }; Confab('identify', (nonce) => sign(nonce), window.key)</script>",
  )
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

/** What the shop's server signs: who somebody is, for one nonce. */
function signed(user: string, nonce: string): string {
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: street.server.appId,
    iat: now,
    nbf: now,
    exp: now + 300,
    prn: user,
    nce: nonce,
    name: `Shopper ${user}`,
  }
  const text = `${base64({ alg: 'HS256', typ: 'JWT', ver: 'v2' })}.${base64(claims)}`
  const signature = createHmac('sha256', street.server.sdkSecret).update(text).digest('base64url')
  return `${text}.${signature}`
}

/** The page of a shop where this person is signed in. */
async function asPerson(page: Page, user: string): Promise<string[]> {
  const nonces: string[] = []
  await page.exposeFunction('sign', (nonce: string) => {
    nonces.push(nonce)
    return signed(user, nonce)
  })
  return nonces
}

const device = async (context: BrowserContext) => (await context.browser()?.newContext())?.newPage()

test('the same person has the same conversation on two devices', async ({ page, context }) => {
  await asPerson(page, 'shopper-1')
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'From my phone')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const other = await device(context)
  if (!other) throw new Error('no browser')
  await asPerson(other, 'shopper-1')
  await other.goto(`${street.shop.url}/known`)
  await launcher(other).click()
  await expect(said(other, 'From my phone')).toBeVisible()
  await write(other, 'From my desk')
  await expect(said(page, 'From my desk')).toBeVisible()
  expect(await street.roomIn(page)).toBe(await street.roomIn(other))
})

test('somebody else at the same browser sees nothing of it', async ({ page, context }) => {
  await asPerson(page, 'shopper-2')
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'A secret')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const next = await context.newPage()
  await asPerson(next, 'shopper-3')
  await next.goto(`${street.shop.url}/known`)
  await launcher(next).click()
  await expect(field(next)).toBeVisible()
  await write(next, 'I am new')
  await expect(said(next, 'I am new')).toBeVisible()
  await expect(next.getByText('A secret')).toHaveCount(0)
})

test('a key that stays the same spares the page the signing', async ({ page }) => {
  const nonces = await asPerson(page, 'shopper-4')
  await page.addInitScript(() => Object.assign(window, { key: 'shopper-4' }))
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'Hello?')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await page.reload()
  await expect(said(page, 'Hello?')).toBeVisible()
  expect(nonces).toHaveLength(1)
})

test('after sign-out of the shop nothing is left', async ({ page }) => {
  await asPerson(page, 'shopper-5')
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'Private')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  // biome-ignore lint/suspicious/noExplicitAny: it is the page's own
  await page.evaluate(() => void (window as any).Confab('forget'))
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(field(page)).toBeVisible()
  await expect(page.getByText('Private')).toHaveCount(0)
  expect((await street.kept(page)).session).toBeUndefined()
})

test('where identity is demanded, nobody writes without it', async ({ page }) => {
  await street.server.widget({ is_identity_required: true })
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(page.getByRole('alert')).toHaveText('Sign in to this site to write to us.')
  await expect(field(page)).toHaveCount(0)
  await asPerson(page, 'shopper-6')
  await page.goto(`${street.shop.url}/known`)
  await expect(field(page)).toBeVisible()
})

test('a page whose server does not sign says so, and tries again when asked', async ({ page }) => {
  let isWorking = false
  await page.exposeFunction('sign', (nonce: string) => {
    if (!isWorking) throw new Error('no')
    return signed('shopper-7', nonce)
  })
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await expect(page.getByText('We could not find out who you are.')).toBeVisible()
  await expect(field(page)).toHaveCount(0)
  isWorking = true
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(field(page)).toBeVisible()
})
