import { expect, type Page, test } from '@playwright/test'
import { admin, row, signIn } from './people'
import { Server } from './server'

const CUSTOMERS = Number(process.env.CONFAB_MANY ?? 10_000)
const AT_ONCE = 32

let server: Server

test.beforeAll(async () => {
  test.setTimeout(600_000)
  server = await Server.start()
  await server.channel('sms-gateway')
  let next = 0
  const writer = async () => {
    for (let number = next++; number < CUSTOMERS; number = next++) {
      await server.say('sms-gateway', `628${number}`, `Customer ${number}`, `Message ${number}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, writer))
})

test.afterAll(() => server.stop())

const rows = (page: Page) => page.getByRole('list', { name: 'Conversations' }).getByRole('listitem')

test('of ten thousand conversations only those on screen are drawn', async ({ page }) => {
  test.slow()
  await signIn(page, server, admin(server))
  const begun = Date.now()
  await page.goto(`${server.url}/dashboard/inbox/all`)
  await expect(row(page, 'Customer').first()).toBeVisible()
  process.stdout.write(`list with data: ${Date.now() - begun} ms\n`)
  expect(await rows(page).count()).toBeLessThanOrEqual(60)
  const scroll = page.getByRole('list', { name: 'Conversations' }).locator('..')
  await scroll.hover()
  const frames = page.evaluate(frameTimes)
  for (let turn = 0; turn < 40; turn += 1) {
    await page.mouse.wheel(0, 4000)
    expect(await rows(page).count()).toBeLessThanOrEqual(60)
  }
  const { median, p95 } = await frames
  process.stdout.write(`scrolling: median ${median} ms a frame, p95 ${p95} ms\n`)
  const opened = Date.now()
  await rows(page).nth(10).getByRole('link').click()
  await expect(page.getByRole('article').first()).toBeVisible()
  process.stdout.write(`conversation opened: ${Date.now() - opened} ms\n`)
})

/** How long frames take for three seconds. */
function frameTimes(): Promise<{ median: number; p95: number }> {
  return new Promise((resolve) => {
    const times: number[] = []
    let last = performance.now()
    const end = last + 3000
    const step = (now: number) => {
      times.push(now - last)
      last = now
      if (now < end) {
        requestAnimationFrame(step)
        return
      }
      times.sort((a, b) => a - b)
      const at = (part: number) =>
        Math.round((times[Math.floor(times.length * part)] ?? 0) * 10) / 10
      resolve({ median: at(0.5), p95: at(0.95) })
    }
    requestAnimationFrame(step)
  })
}
