import { expect, test } from '@playwright/test'
import { launcher, Street, said, texts, write } from './helpers/widget_helpers'

// Messages of customers are neither lost nor duplicated.

let street: Street

test.beforeAll(async () => {
  street = await Street.openBehindFront()
})

test.afterAll(() => street.close())

test.beforeEach(() => {
  street.front.trouble = null
  street.front.passesSockets = true
})

const TOGETHER = { timeout: 45_000 }

/** Returns the number of stored messages of a room with a text. */
async function count(room: string, text: string): Promise<number> {
  return (await street.server.comments(room)).filter(({ message }) => message === text).length
}

test('a first message without a server survives a reload and is sent once', async ({ page }) => {
  street.front.trouble = { path: /initiate_chat/, after: 'before' }
  await page.goto(street.shop.url)
  await launcher(page).click()
  await write(page, 'Is anybody there?')
  await expect(page.getByText('Sending…')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Is anybody there?')).toBeVisible()
  await expect(page.getByText('Sending…')).toBeVisible()
  street.front.trouble = null
  await expect(page.getByText(/· Sent$/)).toBeVisible(TOGETHER)
  expect(await count(await street.roomIn(page), 'Is anybody there?')).toBe(1)
  await expect(said(page, 'Is anybody there?')).toHaveCount(1)
})

test('a response lost after the commit leaves one message', async ({ page }) => {
  const room = await street.begin(page)
  street.front.trouble = { path: /post_comment/, after: 'commit' }
  await write(page, 'Only once')
  await expect.poll(() => count(room, 'Only once')).toBe(1)
  street.front.trouble = null
  await write(page, 'And this')
  await expect.poll(() => count(room, 'And this'), TOGETHER).toBe(1)
  expect(await count(room, 'Only once')).toBe(1)
  expect((await texts(page)).filter((it) => it === 'Only once')).toHaveLength(1)
})

test('leaving the page while a message is being sent loses nothing', async ({ page }) => {
  const room = await street.begin(page)
  for (let at = 0; at < 5; at++) {
    await write(page, `Going ${at}`)
    await page.goto(`${street.shop.url}/${at % 2 ? '' : 'other'}`)
    await expect(said(page, `Going ${at}`)).toHaveCount(1)
  }
  for (let at = 0; at < 5; at++) {
    await expect.poll(() => count(room, `Going ${at}`), TOGETHER).toBe(1)
  }
})

test('messages written offline are sent in order when the network is back', async ({
  page,
  context,
}) => {
  const room = await street.begin(page)
  await context.setOffline(true)
  for (const text of ['First', 'Second', 'Third']) await write(page, text)
  await expect(page.getByText(/^No connection/)).toBeVisible()
  await street.server.reply(room, 'Meanwhile')
  await context.setOffline(false)
  await expect(page.getByText('Sending…')).toHaveCount(0, TOGETHER)
  await expect(said(page, 'Meanwhile')).toHaveCount(1, TOGETHER)
  await expect(page.getByText(/^No connection/)).toHaveCount(0, TOGETHER)
  const said_ = (await street.server.comments(room)).map(({ message }) => message).reverse()
  expect(said_).toEqual(['Hello?', 'Meanwhile', 'First', 'Second', 'Third'])
  expect(await texts(page)).toEqual(said_)
})

test('the widget reconnects after two kills of the server and shows all messages', async ({
  page,
}) => {
  test.setTimeout(120_000)
  const room = await street.begin(page)
  for (const round of [1, 2]) {
    await street.server.kill('SIGKILL')
    await write(page, `In the dark ${round}`)
    await expect(page.getByText('Sending…')).toBeVisible()
    await street.server.startAgain()
    await expect(page.getByText('Sending…')).toHaveCount(0, TOGETHER)
    await street.server.reply(room, `Light ${round}`)
    await expect(said(page, `Light ${round}`)).toHaveCount(1, TOGETHER)
  }
  const all = ['Hello?', 'In the dark 1', 'Light 1', 'In the dark 2', 'Light 2']
  expect(await texts(page)).toEqual(all)
})

test('two tabs show the same conversation, and each message is sent once', async ({
  page,
  context,
}) => {
  const other = await context.newPage()
  await other.goto(street.shop.url)
  const room = await street.begin(page)
  await other.bringToFront()
  await launcher(other).click()
  await expect(said(other, 'Hello?')).toBeVisible()
  await Promise.all([write(page, 'From the left'), write(other, 'From the right')])
  for (const each of [page, other]) {
    await expect(said(each, 'From the left')).toHaveCount(1)
    await expect(said(each, 'From the right')).toHaveCount(1)
  }
  // Unsent messages are shown in both tabs, too.
  await expect.poll(() => count(room, 'From the left')).toBe(1)
  await expect.poll(() => count(room, 'From the right')).toBe(1)
  for (const each of [page, other]) await each.getByRole('button', { name: 'Close chat' }).click()
  await street.server.reply(room, 'Both of you')
  for (const each of [page, other]) {
    await expect(each.getByRole('button', { name: 'Open chat, 1 new message' })).toBeVisible()
  }
  await page.bringToFront()
  await launcher(page).click()
  await expect(said(page, 'Both of you')).toBeVisible()
  await expect(other.getByRole('button', { name: 'Open chat', exact: true })).toBeVisible()
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  await page.evaluate(() => void (window as any).Confab('forget'))
  await launcher(other).click()
  await expect(other.getByText('Both of you')).toHaveCount(0)
})

test('two tabs that start at once become one visitor with one room', async ({ page, context }) => {
  const other = await context.newPage()
  for (const each of [page, other]) {
    await each.goto(street.shop.url)
    await launcher(each).click()
  }
  await Promise.all([write(page, 'One'), write(other, 'Two')])
  for (const each of [page, other]) {
    await expect(said(each, 'One')).toHaveCount(1)
    await expect(said(each, 'Two')).toHaveCount(1)
  }
  const room = await street.roomIn(page)
  // Unsent messages are shown already, so wait for the stored ones.
  const counted = async () => [await count(room, 'One'), await count(room, 'Two')]
  await expect.poll(counted).toEqual([1, 1])
})

test('behind a proxy without WebSockets, events deliver everything, even after a break', async ({
  page,
}) => {
  street.front.passesSockets = false
  const streams = page.waitForResponse((it) =>
    Boolean(it.headers()['content-type']?.startsWith('text/event-stream')),
  )
  const room = await street.begin(page)
  await streams
  await street.server.reply(room, 'By another way')
  await expect(said(page, 'By another way')).toHaveCount(1, TOGETHER)
  await write(page, 'Good')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await street.server.kill('SIGKILL')
  await write(page, 'In between')
  await street.server.startAgain()
  await expect(page.getByText('Sending…')).toHaveCount(0, TOGETHER)
  await street.server.reply(room, 'Back again')
  await expect(said(page, 'Back again')).toHaveCount(1, TOGETHER)
  const all = ['Hello?', 'By another way', 'Good', 'In between', 'Back again']
  expect(await texts(page)).toEqual(all)
})

test('200 messages in each direction arrive once, in the order of the server', async ({ page }) => {
  test.setTimeout(240_000)
  const room = await street.begin(page)
  const replies = (async () => {
    for (let at = 0; at < 200; at++) await street.server.reply(room, `theirs ${at}`)
  })()
  for (let at = 0; at < 200; at++) {
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill(`ours ${at}`)
    await field.press('Enter')
  }
  await replies
  await expect(said(page, 'ours 199')).toHaveCount(1, TOGETHER)
  await expect(page.getByText('Sending…')).toHaveCount(0, { timeout: 120_000 })
  await expect(said(page, 'theirs 199')).toHaveCount(1, TOGETHER)
  const kept = (await street.server.comments(room)).map(({ message }) => message).reverse()
  expect(kept).toHaveLength(401)
  expect(new Set(kept).size).toBe(401)
  await expect.poll(() => texts(page), TOGETHER).toEqual(kept)
  const ours = kept.filter((it) => it.startsWith('ours'))
  expect(ours).toEqual(Array.from({ length: 200 }, (_, at) => `ours ${at}`))
})
