// The panel next to a conversation stays current: edits, notes, tags and channel.
import { expect, test } from '@playwright/test'
import { CuttingProxy } from './helpers/cutting_proxy'
import { admin, row, signIn, take } from './helpers/people'
import { Server } from './helpers/server'

// Every test signs in and takes a customer first.
test.setTimeout(180_000)

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  for (const name of ['Ana', 'Ben', 'Cut', 'Dan', 'Eva', 'Fay']) {
    await server.say('sms-gateway', name, name, 'Hello?')
  }
})

test.afterAll(() => server.stop())

test('an edited message is still marked as edited after a reload', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Ana')
  await page.getByRole('textbox', { name: 'Reply' }).fill('Helo')
  await page.keyboard.press('Enter')
  const own = page.getByRole('article').filter({ hasText: 'Hel' }).last()
  await expect(own).toContainText('sent')
  await own.hover()
  await own.getByRole('button', { name: 'Message menu' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Corrected text' }).fill('Hello')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(own).toContainText('edited')
  await page.reload()
  await expect(page.getByRole('article').last()).toContainText('edited')
  await expect(page.getByRole('article').first()).not.toContainText('edited')
})

test('a note whose response is lost is stored once', async ({ page }) => {
  const proxy = await CuttingProxy.start(server.url)
  await signIn(page, proxy, admin(server))
  await take(page, proxy, 'Cut')
  proxy.toCut = 2
  await page.getByRole('tab', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note' }).fill('Call her at noon')
  await page.getByRole('button', { name: 'Send to colleagues' }).click()
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('')
  const notes = page.getByRole('list', { name: 'Notes' }).getByText('Call her at noon')
  await expect(notes).toHaveCount(1)
  expect(proxy.cut).toBe(2)
  await page.reload()
  await expect(notes).toHaveCount(1)
  proxy.stop()
})

test('renaming a tag updates all rows at once', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Ben')
  await page.goto(page.url().replace('/unassigned/', '/all/'))
  await page.getByRole('combobox', { name: 'Add tag' }).fill('vip')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Ben')).toContainText('vip')
  const tags = (await server.call('GET', '/api/v2/tags')) as unknown as {
    data: { id: number }[]
  }
  await server.call('PUT', `/api/v2/tags/${tags.data[0]?.id}`, { name: 'VIP', colour: '#d93025' })
  await expect(row(page, 'Ben')).toContainText('VIP')
  await expect(page.getByRole('list', { name: 'Tags' })).toContainText('VIP')
})

test('text typed while a note is being sent is kept', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Eva')
  const area = page.getByRole('textbox', { name: 'Note' })
  let isLost = true
  // The network breaks, not the server; it recovers after more text was typed.
  await page.route('**/notes', (route) =>
    isLost && route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await page.getByRole('tab', { name: 'Note' }).click()
  await area.fill('Call her at noon')
  await page.getByRole('button', { name: 'Send to colleagues' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Sending…' })).toBeVisible()
  await area.fill('Call her at noon. Ask for her number')
  isLost = false
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('Call her at noon')
  await expect(page.getByRole('status').filter({ hasText: 'Only colleagues' })).toBeVisible()
  await expect(area).toHaveValue('Call her at noon. Ask for her number')
})

test('the composer of a disabled channel is locked and shows the reason', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Dan')
  const away = async () => {
    await row(page, 'Ben').click()
    await expect(page.getByRole('region', { name: 'Ben' }).first()).toBeVisible()
    await row(page, 'Dan').click()
  }
  await page.goto(page.url().replace(/inbox\/\w+/, 'inbox/all'))
  const reply = page.getByRole('textbox', { name: 'Reply' })
  await expect(reply).toBeVisible()
  const { data } = (await server.call('GET', '/api/v2/custom_channels')) as unknown as {
    data: { custom_channels: { id: number; name: string }[] }
  }
  const channel = data.custom_channels.find(({ name }) => name.includes('sms-gateway'))
  await server.call('PUT', `/api/v2/custom_channels/${channel?.id}`, { is_active: false })
  await away()
  await expect(page.getByRole('note')).toContainText('Channel sms-gateway is switched off')
  await expect(reply).toHaveCount(0)
  await page.getByRole('tab', { name: 'Note' }).click()
  await expect(page.getByRole('textbox', { name: 'Note' })).toBeVisible()
  await server.call('PUT', `/api/v2/custom_channels/${channel?.id}`, { is_active: true })
  await away()
  await expect(reply).toBeVisible()
})

test('a customer of a newly created channel can be answered at once', async ({ page }) => {
  await signIn(page, server, admin(server))
  await take(page, server, 'Fay')
  await server.channel('mail-gateway')
  await server.say('mail-gateway', 'gus@example.com', 'Gus', 'Hello?')
  await page.getByRole('link', { name: 'Unassigned' }).click()
  await row(page, 'Gus').click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeVisible()
})
