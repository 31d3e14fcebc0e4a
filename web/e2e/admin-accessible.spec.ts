import { expect, test } from '@playwright/test'
import { troubles, troublesAnywhere } from './helpers/axe'
import { admin, makeSari, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'I want a refund')
})

test.afterAll(() => server.stop())

const PATHS = ['settings', 'audit', 'search', 'search?q=nothing', 'me'] as const

for (const language of ['en', 'id'] as const) {
  test(`the admin screens are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(300_000)
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    await signIn(page, server, admin(server))
    for (const path of PATHS) {
      const mark = path.includes('?') ? '&' : '?'
      await page.goto(`${server.url}/dashboard/${path}${mark}lang=${language}`)
      await expect(page.locator('h1')).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      if (path === 'settings') await page.getByRole('radio').nth(1).check()
      await look(path)
    }
    expect(seen).toEqual({})
  })
}

test('the error screen for a missing right is accessible', async ({ page }) => {
  await signIn(page, server, SARI)
  await page.goto(`${server.url}/dashboard/settings`)
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await troubles(page)).toEqual([])
})
