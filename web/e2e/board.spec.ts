import { expect, test } from '@playwright/test'
import { troubles } from './helpers/axe'
import { admin, makeSari, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

let server: Server

test.beforeEach(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
})

test.afterEach(() => server.stop())

test('the board shows waiting customers and agents, and updates live', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await expect(page.getByText('Nobody is waiting')).toBeVisible()
  await server.say('sms-gateway', '62811', 'Ana', 'Hello?')
  await expect(page.getByRole('link', { name: 'See who waits longest' })).toBeVisible()
  await page.getByRole('button', { name: 'Take offline: Sari Dewi' }).click()
  await expect(page.getByRole('row', { name: /Sari Dewi/ })).toContainText('Taken offline')
  await page.getByRole('button', { name: 'Let back: Sari Dewi' }).click()
  await expect(page.getByRole('button', { name: 'Take offline: Sari Dewi' })).toBeVisible()
  expect(await troubles(page)).toEqual([])
})

test('analytics show an example first, then numbers with a table', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.getByRole('link', { name: 'Analytics', exact: true }).click()
  await expect(page.getByText('There is nothing to show yet')).toBeVisible()
  expect(await troubles(page)).toEqual([])
  const room = await server.say('sms-gateway', '62811', 'Ana', 'Hello?')
  await server.resolve(room)
  await page.reload()
  await expect(page.getByText('Conversations started').first()).toBeVisible()
  await page.getByText('As a table').click()
  await expect(page.getByRole('table', { name: 'Conversations' })).toBeVisible()
  expect(await troubles(page)).toEqual([])
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV: Agents' }).click()
  expect((await saved).suggestedFilename()).toBe('agents.csv')
})

test('agents see which roles may open the board', async ({ page }) => {
  await signIn(page, server, SARI)
  await page.goto(`${server.url}/dashboard/board`)
  await expect(page.getByRole('alert')).toContainText('Only admins and supervisors')
})
