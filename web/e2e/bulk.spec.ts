// Bulk actions on conversations of the inbox.
import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, row, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

// Each test continues from the previous one's state, so that a retry starts with the first.
test.describe.configure({ mode: 'serial' })

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await makeSari(server)
  await server.channel('sms-gateway')
  for (const name of ['Ana', 'Budi', 'Citra', 'Dian', 'Eka', 'Fitri']) {
    await server.say('sms-gateway', `62-${name}`, name, 'Hello?')
  }
})

test.afterAll(() => server.stop())

const open = (page: Page, view: string) => page.goto(`${server.url}/dashboard/inbox/${view}`)
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
const bar = (page: Page) => page.getByRole('region', { name: 'Selected conversations' })
const outcome = (page: Page) => page.getByRole('list', { name: 'Results' })

test('several conversations are assigned at once with the pointer', async ({ page }) => {
  await signIn(page, server, admin(server))
  await open(page, 'unassigned')
  // The newest conversation comes first: Fitri, Eka, Dian, Citra, Budi, Ana.
  await box(page, 'Eka').check()
  await expect(bar(page)).toContainText('1 selected')
  await box(page, 'Citra').click({ modifiers: ['Shift'] })
  await expect(bar(page)).toContainText('3 selected')
  await expect(box(page, 'Dian')).toBeChecked()
  await expect(box(page, 'Budi')).not.toBeChecked()
  await bar(page).getByRole('button', { name: 'Assign 3 conversations' }).click()
  await page.getByRole('button', { name: /Sari Dewi/ }).click()
  const dialogue = page.getByRole('dialog', { name: '3 conversations assigned' })
  await expect(outcome(page).getByRole('listitem')).toHaveCount(3)
  await expect(outcome(page)).toContainText('Dian')
  await dialogue.getByRole('button', { name: 'Close' }).last().click()
  await expect(bar(page)).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Conversations' }).getByRole('link')).toHaveCount(3)
})

test('all conversations of a list are resolved and reopened with the keyboard', async ({
  page,
}) => {
  await signIn(page, server, SARI)
  await open(page, 'mine')
  await row(page, 'Eka').focus()
  await page.keyboard.press('Alt+x')
  await expect(box(page, 'Eka')).toBeChecked()
  await expect(bar(page)).toContainText('1 selected')
  await box(page, 'Citra').focus()
  await page.keyboard.press('Shift+Space')
  await expect(bar(page)).toContainText('3 selected')
  await page.keyboard.press('Space')
  await expect(bar(page)).toContainText('2 selected')
  await page.keyboard.press('F6')
  await expect(bar(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'All of this list' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(bar(page)).toContainText('3 selected')
  // Agents cannot assign in bulk.
  await expect(bar(page).getByRole('button', { name: /^Assign/ })).toHaveCount(0)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Notes' }).fill('After the rush')
  // One of them has been resolved by someone else.
  const rooms = (await server.call(
    'GET',
    '/api/v2/customer_rooms?status=unresolved',
  )) as unknown as {
    data: { customer_rooms: { room_id: string; name: string }[] }
  }
  const dian = rooms.data.customer_rooms.find(({ name }) => name === 'Dian')
  await server.resolve(dian?.room_id ?? '')
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
  const dialogue = page.getByRole('dialog', { name: '2 conversations resolved' })
  await expect(dialogue).toContainText('1 failed')
  await expect(outcome(page).getByRole('listitem').first()).toContainText('Dian')
  await dialogue.getByRole('button', { name: 'Undo: reopen them' }).click()
  await expect(page.getByRole('dialog', { name: '2 conversations reopened' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(bar(page)).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Inbox' })).toBeFocused()
  await expect(row(page, 'Eka')).toBeVisible()
})

test('switching lists clears the selection, and resolved conversations can be reopened', async ({
  page,
}) => {
  const room = await server.say('sms-gateway', '62-Gita', 'Gita', 'Hello?')
  await server.resolve(room)
  await signIn(page, server, admin(server))
  await open(page, 'all')
  await box(page, 'Ana').check()
  await page.getByRole('link', { name: /^Resolved/ }).click()
  await expect(bar(page)).toHaveCount(0)
  await box(page, 'Gita').check()
  await bar(page).getByRole('button', { name: 'Reopen 1 conversation' }).click()
  await expect(page.getByRole('dialog', { name: '1 conversation reopened' })).toBeVisible()
  await page.keyboard.press('Escape')
  // The list does not reorder while the pointer is over it.
  await expect(row(page, 'Gita')).toHaveCount(0)
})

for (const language of ['en', 'id'] as const) {
  test(`bulk actions are accessible, in ${language}`, async ({ page }) => {
    test.setTimeout(180_000)
    await signIn(page, server, admin(server))
    await page.goto(`${server.url}/dashboard/inbox/all?lang=${language}`)
    await page.getByRole('checkbox').first().check()
    await page.getByRole('checkbox').nth(1).check()
    const deeds = page.getByRole('region', { name: /Selected|terpilih/ })
    await expect(deeds).toBeVisible()
    expect(await troublesAnywhere(page)).toEqual([])
    await deeds.getByRole('button', { name: /Assign|Tugaskan/ }).click()
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible()
    expect(await troublesAnywhere(page)).toEqual([])
    await page.keyboard.press('Escape')
    await deeds.getByRole('button', { name: /Resolve|Selesaikan/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Resolve|Selesaikan/ })
      .click()
    await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(2)
    expect(await troublesAnywhere(page)).toEqual([])
  })
}
