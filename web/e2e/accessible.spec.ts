import { expect, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order? https://example.com/1')
  await server.say('sms-gateway', '62822', 'Dian', 'Hello?')
})

test.afterAll(() => server.stop())

const WORDS = {
  en: {
    take: 'Take',
    resolve: 'Resolve',
    menu: /account menu/,
    filter: /Sort and filter/,
    account: 'My account',
    offline: 'You are offline.',
  },
  id: {
    take: 'Ambil',
    resolve: 'Selesaikan',
    menu: /menu akun/,
    filter: /Urutkan dan saring/,
    account: 'Akun saya',
    offline: 'Anda sedang luring.',
  },
}

for (const [language, customer] of [
  ['en', 'Ana Lopez'],
  ['id', 'Dian'],
] as const) {
  test(`sign-in, inbox and conversations are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(300_000)
    const words = WORDS[language]
    const seen: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await troublesAnywhere(page)
      if (found.length > 0) seen[name] = found
    }
    await page.goto(`${server.url}/dashboard/?lang=${language}`)
    await expect(page.locator('input[name=email]')).toBeVisible()
    await look('sign-in')
    await page.locator('input[name=email]').fill('admin@localhost')
    await page.locator('input[name=password]').fill(server.adminPassword)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('navigation').first()).toBeVisible()
    await look('nothing of mine')
    await page.goto(`${server.url}/dashboard/inbox/unassigned`)
    const row = page.getByRole('link', { name: new RegExp(`^${customer}`) })
    await expect(row).toBeVisible()
    await look('list')
    await page.getByRole('button', { name: words.filter }).click()
    await expect(page.getByRole('combobox').first()).toBeVisible()
    await look('filters')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog').getByRole('option').first()).toBeVisible()
    await look('commands')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog').getByRole('table')).toBeVisible()
    await look('keys')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await row.click()
    await expect(page.getByRole('button', { name: words.take })).toBeVisible()
    await look('a conversation that waits')
    await page.getByRole('button', { name: words.take }).click()
    await expect(page.getByRole('article')).toHaveCount(1)
    await look('a conversation of mine')
    await page.getByRole('button', { name: words.resolve }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('the dialogue')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByRole('button', { name: words.menu }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    await look('the menu')
    await page.goto(`${server.url}/dashboard/me`)
    await expect(page.getByRole('heading', { name: words.account })).toBeVisible()
    await look('myself')
    await page.goto(`${server.url}/dashboard/inbox/all/123456789`)
    await expect(page.getByRole('alert')).toBeVisible()
    await look('what is not there')
    await page.context().setOffline(true)
    await expect(page.getByText(words.offline)).toBeVisible({ timeout: 25_000 })
    await look('offline')
    await page.context().setOffline(false)
    expect(seen).toEqual({})
  })
}
