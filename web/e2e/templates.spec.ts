import { expect, test } from '@playwright/test'
import { admin, makeSari, row, signIn } from './helpers/people'
import { Server } from './helpers/server'
import { Graph } from './helpers/stand_ins'

// WhatsApp templates: required when the reply window is closed, and for new conversations.

let graph: Graph
let server: Server
let channel: number

test.beforeAll(async () => {
  graph = await Graph.start()
  graph.templates = [
    { name: 'hello', language: 'en', body: 'Hello {{1}}, it is {{2}}.' },
    { name: 'plain', language: 'id', body: 'Halo' },
  ]
  const allowed = new URL(graph.url).host
  server = await Server.start('--whatsapp-api-url', graph.url, '--webhook-allow', allowed)
  await makeSari(server)
  const connecting = {
    access_token: graph.token,
    phone_number_id: Graph.NUMBER,
    business_id: Graph.BUSINESS,
  }
  const { data } = (await server.asAdmin('POST', '/api/v2/wa/connect', connecting)) as never as {
    data: { wa_channel: { id: number } }
  }
  channel = data.wa_channel.id
})

test.afterAll(async () => {
  await server.stop()
  graph.stop()
})

test.beforeEach(() => {
  graph.sent.length = 0
})

/** Simulates a message that a customer sent a number of hours ago. */
async function wrote(from: string, name: string, hours: number): Promise<void> {
  const message = {
    from,
    id: `wamid.${from}`,
    timestamp: String(Math.floor(Date.now() / 1000) - hours * 3600),
    type: 'text',
    text: { body: 'Is it ready?' },
  }
  const value = {
    messaging_product: 'whatsapp',
    metadata: { phone_number_id: Graph.NUMBER },
    contacts: [{ profile: { name }, wa_id: from }],
    messages: [message],
  }
  const changes = [{ field: 'messages', value }]
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '0', changes }],
  })
  await server.asAdmin('POST', `/api/v2/channels/${channel}/events`, { body })
}

test('templates can be sent when the reply window is closed', async ({ page }) => {
  await wrote('628111111111', 'Budi', 30)
  await signIn(page, server)
  await page.goto(`${server.url}/dashboard/inbox/unassigned`)
  await row(page, 'Budi').click()
  await page.getByRole('button', { name: 'Take', exact: true }).first().click()
  await expect(page.getByText(/only a template reaches them/)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveCount(0)
  const send = page.getByRole('button', { name: 'Send template' })
  await expect(send).toBeDisabled()
  await page.getByLabel('Template', { exact: true }).selectOption('hello en')
  await page.getByLabel('Value 1').fill('Budi')
  await expect(send).toBeDisabled()
  await page.getByLabel('Value 2').fill('ready')
  await expect(page.getByRole('figure')).toHaveText('Hello Budi, it is ready.')
  await send.click()
  await expect(page.getByRole('main').getByText('Hello Budi, it is ready.').first()).toBeVisible()
  await expect.poll(() => graph.sent.length).toBe(1)
  expect(graph.sent[0]).toMatchObject({ to: '628111111111', type: 'template' })
})

test('a template starts a conversation with a new contact', async ({ page }) => {
  await signIn(page, server, admin(server))
  await page.goto(`${server.url}/dashboard/contacts`)
  await page.getByRole('button', { name: 'New conversation' }).click()
  const dialogue = page.getByRole('dialog', { name: 'New conversation' })
  await dialogue.getByLabel('Phone number').fill('0822-2222-222')
  await dialogue.getByLabel('Name of a new customer').fill('Citra')
  await dialogue.getByLabel('Template', { exact: true }).selectOption('plain id')
  await dialogue.getByRole('button', { name: 'Send template' }).click()
  await expect(page).toHaveURL(/\/inbox\/all\/\d+$/)
  await expect(page.getByRole('heading', { name: 'Citra' })).toBeVisible()
  await expect(page.getByRole('main').getByText('Halo').first()).toBeVisible()
  await expect.poll(() => graph.sent.length).toBe(1)
  expect(graph.sent[0]).toMatchObject({ to: '628222222222', type: 'template' })
})
