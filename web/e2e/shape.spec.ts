import { expect, type Page, test } from '@playwright/test'
import { admin, row, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  const long = 'A-very-long-word-without-any-place-to-break-it-'.repeat(8)
  await server.say('sms-gateway', '62811', 'Ana Lopez', long)
  await server.say('sms-gateway', '62811', 'Ana Lopez', `https://example.com/${long}`)
  await server.say('sms-gateway', '62822', `Wolfeschlegelsteinhausen${'berger'.repeat(10)}`, 'Hi')
})

test.afterAll(() => server.stop())

/** Opens every screen, one after the other. */
async function screens(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  await page.goto(`${server.url}/dashboard/`)
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await look('sign-in')
  await signIn(page, server, admin(server))
  await look('nothing of mine')
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await expect(row(page, 'Ana Lopez')).toBeVisible()
  await look('list')
  await row(page, 'Ana Lopez').click()
  await expect(page.getByRole('article').first()).toBeVisible()
  await look('conversation')
  await page.goto(`${server.url}/dashboard/me`)
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()
  await look('myself')
}

const isWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

const SIZES = {
  'at 320 pixels': { viewport: { width: 320, height: 640 } },
  'at 200 % of 1280 pixels': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
}
for (const [name, options] of Object.entries(SIZES)) {
  test.describe(name, () => {
    test.use(options)
    test('no screen scrolls sideways', async ({ page }) => {
      const wide: string[] = []
      await screens(page, async (screen) => {
        if (await isWide(page)) wide.push(screen)
      })
      expect(wide).toEqual([])
    })
  })
}

test('the layout is mirrored for right-to-left languages', async ({ page }) => {
  await page.addInitScript(() => {
    const turn = () => document.documentElement?.setAttribute('dir', 'rtl')
    turn()
    document.addEventListener('readystatechange', turn)
  })
  const wide: string[] = []
  await screens(page, async (screen) => {
    if (await isWide(page)) wide.push(screen)
  })
  expect(wide).toEqual([])
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Ana Lopez').click()
  await expect(page.getByRole('article').first()).toBeVisible()
  const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0
  // The list comes first: on the right.
  const list = await page.getByRole('list', { name: 'Conversations', exact: true }).boundingBox()
  expect(list?.x ?? 0).toBeGreaterThan(await left('#main'))
})

test('reduced motion disables animations', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, server, admin(server))
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toBeVisible()
  const running = await page.evaluate(
    () => document.getAnimations().filter((it) => it.playState === 'running').length,
  )
  expect(running).toBe(0)
})
