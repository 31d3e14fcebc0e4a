// Customers can rate a conversation, and ratings are shown.
import { expect, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, row, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
})

test.afterAll(() => server.stop())

test('a customer is asked for a rating with the texts of the app, answers, and is counted', async ({
  page,
}) => {
  test.setTimeout(240_000)
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/settings`)
  await page.getByRole('checkbox', { name: 'Ask customers for a rating' }).check()
  await page.getByRole('textbox', { name: 'Question' }).fill('Were we of help?')
  await page.getByRole('textbox', { name: 'Answer: okay' }).fill('So so')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeDisabled()
  await take(page, server, 'Ana Lopez')
  await page.getByRole('textbox', { name: 'Reply' }).fill('It comes today.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Resolve' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
  await expect(page.getByRole('article').getByText('Were we of help?')).toBeVisible()
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'so so')
  await page.goto(`${server.url}/dashboard/inbox/resolved`)
  await row(page, 'Ana Lopez').click()
  await expect(page.getByText('The customer rated it 3 of 5')).toBeVisible()
  await expect(page.getByRole('list', { name: 'History' })).toContainText('rated 3 of 5')
  for (const language of ['id', 'en']) {
    await page.goto(`${server.url}/dashboard/settings?lang=${language}`)
    await expect(page.locator('input[maxlength="20"]')).toHaveCount(3)
    expect(await troublesAnywhere(page)).toEqual([])
    await page.goto(`${server.url}/dashboard/analytics`)
    await expect(page.getByText(/^(Average rating|Nilai rata-rata)$/).first()).toBeVisible()
    expect(await troublesAnywhere(page)).toEqual([])
  }
  await expect(page.getByText('3.0').first()).toBeVisible()
  await expect(page.getByText('1 rating, from 1 to 5')).toBeVisible()
})
