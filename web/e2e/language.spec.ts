import { expect, test } from '@playwright/test'
import { makeSari, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
})

test.afterAll(() => server.stop())

test('a new browser uses the language chosen in another, after signing in only', async ({
  page,
  browser,
}) => {
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/me`)
  await page.getByRole('combobox', { name: 'Language' }).selectOption('id')
  await page.getByRole('radio').nth(1).click()
  await expect(page.getByRole('link', { name: 'Kotak masuk' })).toBeVisible()

  const elsewhere = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await elsewhere.addInitScript(() => {
    const seen = new Set<string>()
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const place = document.querySelector('header nav')?.textContent
      if (place) seen.add(place)
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await elsewhere.goto(`${server.url}/dashboard/`)
  await elsewhere.getByRole('textbox', { name: 'Email' }).fill(SARI.email)
  await elsewhere.getByRole('textbox', { name: 'Password' }).fill(SARI.password)
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(elsewhere.getByRole('link', { name: 'Kotak masuk' })).toBeVisible()
  const seen = await elsewhere.evaluate(() => [...(window as unknown as { seen: string[] }).seen])
  expect(seen.join()).toContain('Kotak masuk')
  expect(seen.join()).not.toContain('Inbox')
  // The color scheme follows, too.
  await elsewhere.goto(`${server.url}/dashboard/me`)
  await expect(elsewhere.getByRole('radio').nth(1)).toBeChecked()
})

test('the language in the URL overrides the one chosen in another browser', async ({ page }) => {
  await page.goto(`${server.url}/dashboard/?lang=en`)
  await signIn(page, server)
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
})
