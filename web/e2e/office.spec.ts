// The screens besides the inbox: first steps, people, contacts.
import { expect, type Page, test } from '@playwright/test'
import { troublesAnywhere } from './helpers/axe'
import { admin, makeSari, row, SARI, signIn } from './helpers/people'
import { Server } from './helpers/server'

// Each test continues from the previous one's state, so that a retry starts with the first.
test.describe.configure({ mode: 'serial' })

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
  await server.say('sms-gateway', '62811', 'Ana Lopez', 'Where is my order?')
})

test.afterAll(() => server.stop())

const both = async (page: Page, path: string, seen: (lang: string) => Promise<void>) => {
  for (const lang of ['id', 'en']) {
    await page.goto(`${server.url}/dashboard${path}?lang=${lang}`)
    await seen(lang)
    expect(await troublesAnywhere(page)).toEqual([])
  }
}

test('the printed link opens five first steps that are ticked when done', async ({ page }) => {
  test.setTimeout(180_000)
  await page.goto(server.link)
  await expect(page.getByRole('heading', { name: /^Welcome to/ })).toBeVisible()
  await expect(page.getByText('0 of 5 done')).toBeVisible()
  await both(page, '/start', async () => {
    await expect(page.getByRole('listitem')).toHaveCount(5)
  })
  // Another client adds a colleague: the step is done after a reload.
  await server.agent('Wayan Putra', 'wayan@example.com', 'a password of his')
  await page.reload()
  await expect(page.getByText('1 of 5 done')).toBeVisible()
  const step = page.getByRole('listitem').filter({ hasText: 'Add a colleague' })
  await expect(step.getByRole('img', { name: 'Done', exact: true })).toBeVisible()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'First steps' }).click()
  await expect(page.getByText('1 of 5 done')).toBeVisible()
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page).toHaveURL(/inbox/)
  // Once dismissed, the link no longer opens the first steps, but the menu does.
  await page.goto(`${server.url}/dashboard/start?link`)
  await expect(page).toHaveURL(/inbox/)
  await page.goto(`${server.url}/dashboard/start`)
  await expect(page.getByText('1 of 5 done')).toBeVisible()
})

test('an admin adds, changes, takes offline and deletes a colleague', async ({ page, browser }) => {
  test.setTimeout(180_000)
  await signIn(page, server, admin(server))
  await both(page, '/people', async () => {
    await expect(page.getByRole('link', { name: 'Wayan Putra' })).toBeVisible()
  })
  await page.getByRole('textbox', { name: 'New division' }).fill('Sales')
  await page.getByRole('button', { name: 'Add division' }).click()
  const divisions = page.getByRole('list', { name: 'Divisions' })
  await expect(divisions.getByText('Sales')).toBeVisible()
  await page.getByRole('button', { name: 'Add a colleague' }).click()
  const dialogue = page.getByRole('dialog')
  await expect(dialogue.getByRole('textbox', { name: 'Name' })).toBeFocused()
  expect(await troublesAnywhere(page)).toEqual([])
  await dialogue.getByRole('textbox', { name: 'Name' }).fill('Budi Santoso')
  await dialogue.getByRole('textbox', { name: 'Email' }).fill('budi@example.com')
  await dialogue.getByRole('checkbox', { name: 'Sales' }).check()
  await dialogue.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Budi Santoso was added' })).toBeVisible()
  const link = (await dialogue.locator('pre').textContent()) ?? ''
  expect(await troublesAnywhere(page)).toEqual([])
  await dialogue.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Budi Santoso' }).click()
  await expect(page.getByRole('heading', { name: 'Budi Santoso', exact: true })).toBeVisible()
  await expect(page.getByText('Nowhere.')).toBeVisible()
  // The link signs the colleague in; the admin sees that sign-in and can end it.
  const context = await browser.newContext()
  const theirs = await context.newPage()
  await theirs.goto(link)
  await expect(theirs).toHaveURL(/inbox/)
  await page.reload()
  const places = page.getByRole('list', { name: 'Where Budi Santoso is signed in' })
  await expect(places.getByRole('listitem')).toHaveCount(1)
  expect(await troublesAnywhere(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(theirs.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await context.close()
  await page.getByRole('button', { name: 'Create a sign-in link' }).click()
  await expect(page.getByText(/Give this link to Budi Santoso/)).toBeVisible()
  await page.getByRole('combobox', { name: 'Role' }).selectOption('supervisor')
  await page.getByRole('spinbutton', { name: 'Maximum customers' }).fill('7')
  await page.getByRole('checkbox', { name: 'Channel sms-gateway' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.getByRole('switch', { name: 'Take offline' }).press('Space')
  await expect(page.getByText('Taken offline')).toBeVisible()
  await page.getByRole('link', { name: 'All people' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Budi Santoso' })
  await expect(row).toContainText('Supervisor')
  await expect(row).toContainText('0 of 7')
  await expect(row).toContainText('Sales')
  await page.getByRole('link', { name: 'Budi Santoso' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('link', { name: 'Wayan Putra' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Budi Santoso' })).toHaveCount(0)
})

test('unsaved changes survive switching a toggle, and changes by other admins are kept', async ({
  page,
}) => {
  test.setTimeout(180_000)
  await server.agent('Made Surya', 'made@example.com', 'a password of his')
  await signIn(page, server, admin(server))
  const people = (await server.call('GET', '/api/v2/admin/agents')) as unknown as {
    data: { agents: { id: number; name: string }[] }
  }
  const id = people.data.agents.find(({ name }) => name === 'Made Surya')?.id
  await page.goto(`${server.url}/dashboard/people/${id}`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Made S.')
  await page.getByRole('switch', { name: 'Take offline' }).press('Space')
  await expect(page.getByText('Taken offline')).toBeVisible()
  await expect(name).toHaveValue('Made S.')
  await server.call('POST', `/api/v2/admin/agent/${id}/update`, { customers_max: 3 })
  await name.press('Enter')
  await expect(page.getByText('Saved.')).toBeVisible()
  await expect(name).toBeFocused()
  await expect(page.getByRole('heading', { name: 'Made S.', exact: true })).toBeVisible()
  await expect(page.getByRole('spinbutton', { name: 'Maximum customers' })).toHaveValue('3')
  // Discarding unsaved changes asks first.
  await name.fill('Made Surya')
  page.once('dialog', (dialog) => dialog.dismiss())
  await page.getByRole('link', { name: 'All people' }).click()
  await expect(name).toHaveValue('Made Surya')
  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('link', { name: 'All people' }).click()
  await expect(page.getByRole('link', { name: 'Made S.' })).toBeVisible()
})

test('a sign-in link opens the inbox for an agent', async ({ page }) => {
  await server.agent('Lina', 'lina@example.com', 'a password of hers')
  const people = (await server.call('GET', '/api/v2/admin/agents')) as unknown as {
    data: { agents: { id: number; name: string }[] }
  }
  const id = people.data.agents.find(({ name }) => name === 'Lina')?.id
  const made = (await server.call('POST', `/api/v2/admin/agent/${id}/sign_in_link`)) as unknown as {
    data: { link: string }
  }
  await page.goto(made.data.link)
  await expect(page).toHaveURL(/inbox/)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('deleting a division asks first', async ({ page }) => {
  await server.call('POST', '/api/v2/divisions', { name: 'Repairs' })
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/people`)
  const remove = page.getByRole('button', { name: 'Remove Repairs' })
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(remove).toHaveCount(0)
})

test('agents cannot open the people screen or an unknown contact', async ({ page }) => {
  await makeSari(server)
  await signIn(page, server, SARI)
  await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)
  await page.goto(`${server.url}/dashboard/people`)
  await expect(page.getByRole('alert', { name: 'Your role has no access' })).toBeVisible()
  await page.goto(`${server.url}/dashboard/contacts/999999`)
  await expect(page.getByRole('alert')).toBeVisible()
})

test('a contact is renamed and extended, and its conversations are read in place', async ({
  page,
}) => {
  test.setTimeout(180_000)
  await signIn(page, server, admin(server))
  const rooms = (await server.call('GET', '/api/v2/customer_rooms')) as unknown as {
    data: { customer_rooms: { contact_id: number; room_id: string }[] }
  }
  const [first] = rooms.data.customer_rooms
  await server.resolve(first?.room_id ?? '')
  await both(page, `/contacts/${first?.contact_id}`, async () => {
    await expect(page.getByRole('heading', { name: 'Ana Lopez' })).toBeVisible()
  })
  await page.getByRole('button', { name: 'Change Name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ana María López')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Ana María López' })).toBeVisible()
  await page.getByRole('button', { name: 'Add to the customer' }).click()
  await page.getByRole('textbox').nth(0).fill('Membership')
  await page.getByRole('textbox').nth(1).fill('Gold')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Gold')).toBeVisible()
  await page.getByRole('button', { name: /^Read/ }).click()
  await expect(page.getByText('Where is my order?')).toBeVisible()
  await page.getByRole('link', { name: 'Open in the inbox' }).click()
  await expect(page).toHaveURL(/inbox\/resolved/)
})

test('contacts are found by name', async ({ page }) => {
  test.setTimeout(180_000)
  await signIn(page, server, admin(server))
  await server.say('sms-gateway', '62822', 'Budi Halim', 'Hello?')
  await both(page, '/contacts', async () => {
    await expect(page.getByRole('link', { name: /^Budi Halim/ })).toBeVisible()
  })
  await page.getByRole('searchbox').fill('Ana')
  await expect(page.getByRole('link', { name: /^Budi Halim/ })).toHaveCount(0)
  await row(page, 'Ana').click()
  await expect(page).toHaveURL(/contacts\/\d+/)
  await page.goBack()
  await expect(page.getByRole('searchbox')).toHaveValue('Ana')
  await page.getByRole('searchbox').fill('Nobody at all')
  await expect(page.getByText('No contact with this name was found.')).toBeVisible()
})
