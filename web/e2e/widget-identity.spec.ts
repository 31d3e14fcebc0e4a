import { createHmac } from 'node:crypto'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { field, launcher, Street, said, write } from './helpers/widget_helpers'

// Customers identified by the shop's own server.

let street: Street

test.beforeAll(async () => {
  street = await Street.open()
  street.page(
    '/known',
    "<script>window.Confab = window.Confab || function () { (Confab.q = Confab.q || []).push(arguments) }; Confab('identify', (nonce) => sign(nonce), window.key)</script>",
  )
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

/** Returns an identity token for a user and a nonce, as the shop's server signs it. */
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

/** Sets up a page on which the user is signed in. Returns the nonces that it signed. */
async function asPerson(page: Page, user: string): Promise<string[]> {
  const nonces: string[] = []
  await page.exposeFunction('sign', (nonce: string) => {
    nonces.push(nonce)
    return signed(user, nonce)
  })
  return nonces
}

const device = async (context: BrowserContext) => (await context.browser()?.newContext())?.newPage()

test('a customer has the same conversation on two devices', async ({ page, context }) => {
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

test('another customer in the same browser does not see the conversation', async ({
  page,
  context,
}) => {
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

test('an unchanged key avoids signing again', async ({ page }) => {
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

test('signing out of the shop deletes the stored conversation', async ({ page }) => {
  await asPerson(page, 'shopper-5')
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'Private')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  await page.evaluate(() => void (window as any).Confab('forget'))
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(field(page)).toBeVisible()
  await expect(page.getByText('Private')).toHaveCount(0)
  expect((await street.kept(page)).session).toBeUndefined()
})

test('where identity is required, only identified customers can write', async ({ page }) => {
  await street.server.widget({ is_identity_required: true })
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(page.getByRole('alert')).toHaveText('Sign in to this site to write to us.')
  await expect(field(page)).toHaveCount(0)
  await asPerson(page, 'shopper-6')
  await page.goto(`${street.shop.url}/known`)
  await expect(field(page)).toBeVisible()
})

test('a failing signer shows an error, and can be retried', async ({ page }) => {
  let isWorking = false
  await page.exposeFunction('sign', (nonce: string) => {
    if (!isWorking) throw new Error('no')
    return signed('shopper-7', nonce)
  })
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await expect(page.getByText('We could not verify who you are.')).toBeVisible()
  await expect(field(page)).toHaveCount(0)
  isWorking = true
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(field(page)).toBeVisible()
})

test('an identity token cannot open the chat of another customer', async ({ page }) => {
  await street.server.widget({ is_identity_required: true })
  await asPerson(page, 'shopper-8')
  await page.goto(`${street.shop.url}/known`)
  await launcher(page).click()
  await write(page, 'Only mine')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${street.server.url}/api/v2/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-sdk-app-id': street.server.appId },
      body: JSON.stringify(body),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const nonce = async () => JSON.parse((await ask('sdk/auth/nonce', {})).text).results.nonce
  const open = async (tokenOf: (nonce: string) => string | undefined) => {
    const fresh = await nonce()
    const who = { app_id: street.server.appId, user_id: 'shopper-8', name: 'Shopper' }
    return ask('service/initiate_chat', { ...who, nonce: fresh, identity_token: tokenOf(fresh) })
  }
  const forged = (it: string) => `${it.slice(0, -4)}AAAA`
  const room = await street.roomIn(page)
  for (const tokenOf of [
    () => undefined,
    () => 'nonsense',
    (it: string) => signed('shopper-9', it),
    (it: string) => forged(signed('shopper-8', it)),
    () => signed('shopper-8', 'another nonce'),
  ]) {
    const { status, text } = await open(tokenOf)
    expect([400, 401, 403], text).toContain(status)
    expect(text).not.toContain(room)
  }
})

test('the id of a visitor alone does not give access to the conversation', async ({
  page,
  context,
}) => {
  await street.server.visitorProof('secret')
  const room = await street.begin(page, 'For your eyes only')
  const { visitor } = await street.kept(page)
  expect(visitor.secret).toBeTruthy()
  const other = await device(context)
  if (!other) throw new Error('no browser')
  await other.addInitScript(
    ([key, id]) => {
      localStorage.getItem(key) ?? localStorage.setItem(key, JSON.stringify({ visitor: { id } }))
    },
    [`confab:${street.server.appId}`, visitor.id] as const,
  )
  await other.goto(street.shop.url)
  await launcher(other).click()
  await write(other, 'I am you')
  await expect(other.getByText(/· Sent$/)).toBeVisible()
  await expect(other.getByText('For your eyes only')).toHaveCount(0)
  expect(await street.roomIn(other)).not.toBe(room)
  expect(await street.server.comments(room)).toHaveLength(1)
  // The browser with the secret returns to the room, even without a token.
  await page.evaluate((key) => {
    const { visitor } = JSON.parse(localStorage.getItem(key) ?? '{}')
    localStorage.setItem(key, JSON.stringify({ visitor }))
  }, `confab:${street.server.appId}`)
  await page.reload()
  await write(page, 'It is me')
  await expect(said(page, 'For your eyes only')).toBeVisible()
  expect(await street.roomIn(page)).toBe(room)
  await street.server.visitorProof('none')
})
