import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { Server } from './helpers/server'

const corpus: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('helpers/xss-corpus.json', import.meta.url), 'utf8'),
)
const VECTORS = Object.values(corpus).flat()
const URLS = corpus.urls ?? []

// A tall window shows more messages at once.
test.use({ viewport: { width: 1600, height: 3000 } })

let server: Server

test.beforeAll(async () => {
  server = await Server.start()
  await server.channel('sms-gateway')
})

test.afterAll(() => server.stop())

/** Collects everything that a text could cause if it were treated as markup. */
async function guarded(page: Page): Promise<string[]> {
  const troubles: string[] = []
  page.on('dialog', (dialog) => {
    troubles.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => troubles.push(`error ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) troubles.push(`request ${url}`)
  })
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) troubles.push(message.text())
  })
  await page.exposeFunction('heard', (what: string) => {
    troubles.push(what)
  })
  await page.addInitScript(() => {
    const told = window as Window & { heard?: (what: string) => void; xss?: () => void }
    told.xss = () => told.heard?.('script ran')
    document.addEventListener('securitypolicyviolation', (event) => {
      told.heard?.(`violation ${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  await page.goto(`${server.url}/dashboard/`)
  await page.getByRole('textbox', { name: 'Email' }).fill('admin@localhost')
  await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('link', { name: 'Inbox' })).toBeVisible()
  return troubles
}

/** Packs vectors into texts of a maximum length. A longer vector gets a text of its own, cut
 * off. */
function packed(length: number, vectors = VECTORS): string[] {
  const texts: string[] = []
  let text = ''
  for (const vector of vectors) {
    const next = text === '' ? vector : `${text}\n${vector}`
    if (next.length <= length) text = next
    else {
      if (text !== '') texts.push(text)
      text = vector.slice(0, length)
    }
  }
  return [...texts, text]
}

type Said = Record<string, unknown>

/** Returns a message of every type, with the text in each of its text fields and the URL in the
 * others. */
function everyType(text: string, url: string): Said[] {
  const button = { label: text, type: 'link', payload: { url, method: text, payload: text } }
  const buttons = [button, { ...button, type: 'postback', postback_text: text }]
  const action = { type: 'postback', postback_text: text, payload: { url, method: text } }
  const card = { image: url, title: text, description: text, buttons, url, default_action: action }
  const params = { user_id: text, topic_id: text, button_text: text, view_title: text }
  const place = { name: text, address: text, latitude: 1, longitude: 2, map_url: url }
  const file = { url, caption: text, file_name: `${text}.png`, size: 3, pages: 2 }
  return [
    { type: 'text' },
    { type: 'file_attachment', payload: file },
    { type: 'buttons', payload: { text, buttons } },
    { type: 'card', payload: { text, ...card } },
    { type: 'carousel', payload: { cards: [card, { title: text, image: url }] } },
    { type: 'location', payload: place },
    { type: 'contact_person', payload: { name: text, value: text, type: 'email' } },
    { type: 'account_linking', payload: { text, url, redirect_url: url, params } },
    { type: 'button_postback_response', payload: { url, method: text, payload: text } },
    { type: 'custom', payload: { type: text, content: { [text]: text, html: [text] } } },
  ]
}

/** Scrolls a virtual list from its end to its beginning. Returns the text of all rows. */
async function seeAll(page: Page): Promise<string> {
  const list = page.getByRole('list', { name: 'Messages' })
  const texts: string[] = []
  await expect(async () => {
    const { text, isFirst } = await list.evaluate((element) => {
      for (const fold of element.querySelectorAll('details')) fold.open = true
      const rows = [...element.children].sort(
        (a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')),
      )
      const isFirst = rows[0]?.getAttribute('aria-posinset') === '1'
      // Scroll the topmost rendered row to the bottom, so that none is skipped.
      rows[0]?.scrollIntoView({ block: 'end' })
      const isWhole = rows[0]?.getAttribute('aria-setsize') !== '-1'
      return { text: element.textContent ?? '', isFirst: isFirst && isWhole }
    })
    texts.push(text)
    expect(isFirst).toBe(true)
  }).toPass({ timeout: 90_000, intervals: [100] })
  return texts.join('\n')
}

test('there are at least 500 distinct vectors', () => {
  expect(new Set(VECTORS).size).toBe(VECTORS.length)
  expect(VECTORS.length).toBeGreaterThanOrEqual(500)
})

test('messages of customers are shown as plain text', async ({ page }) => {
  test.setTimeout(180_000)
  const troubles = await guarded(page)
  // The server rejects names and texts with a NUL.
  const plain = VECTORS.filter((vector) => !vector.includes('\u0000'))
  let seen = ''
  for (const [number, text] of packed(3000, plain).entries()) {
    let room = ''
    for (const said of everyType(text, 'https://evil.example/a.png')) {
      room = await server.say('sms-gateway', `6281${number}`, 'Ana', text, said)
    }
    await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
    await expect(page.getByRole('article').first()).toBeVisible({ timeout: 30_000 })
    seen += await seeAll(page)
  }
  expect(plain.filter((vector) => !seen.includes(vector))).toEqual([])
  expect(troubles).toEqual([])
})

test('names of customers, tags, notes and infos are shown as plain text', async ({ page }) => {
  test.setTimeout(120_000)
  const troubles = await guarded(page)
  const plain = VECTORS.filter((vector) => !vector.includes('\u0000'))
  const names = packed(250, plain)
  let room = ''
  for (const [number, name] of names.entries()) {
    room = (await server.say('sms-gateway', `6282${number}`, name, name).catch(() => null)) ?? room
  }
  const headers = { 'x-confab': '1' }
  const call = (method: string, path: string, data: unknown) =>
    page.request.fetch(`${server.url}${path}`, { method, headers, data: data ?? {} })
  // Tags of another room are offered as suggestions here.
  const other = await server.say('sms-gateway', '62833', 'Dian', 'Hello?')
  for (const [number, tag] of packed(100, plain).slice(0, 100).entries()) {
    const place = number % 2 === 0 ? room : other
    await call('POST', `/api/v2/room_tags/${place}`, { tag: tag.replaceAll('\n', ' ') })
  }
  for (const text of packed(3900, plain)) {
    await call('POST', `/api/v2/customer_rooms/${room}/notes`, { text })
  }
  for (const [number, value] of packed(1000, plain).entries()) {
    const key = (VECTORS[number] ?? '').replaceAll('/', '')
    await call('PUT', `/api/v2/customer_rooms/${room}/infos/${encodeURIComponent(key)}`, { value })
  }
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  const panel = page.getByRole('region', { name: 'Customer' })
  await expect(panel.getByRole('list', { name: 'Tags' }).getByRole('listitem')).not.toHaveCount(0)
  await expect(panel.getByRole('list', { name: 'Notes' }).getByRole('listitem')).not.toHaveCount(0)
  const infos = panel.getByRole('list', { name: 'About this conversation' })
  await expect(infos.getByRole('listitem')).not.toHaveCount(0)
  await panel.getByRole('combobox', { name: 'Add tag' }).fill('<')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.getByRole('button', { name: 'Assign' }).click()
  await page.keyboard.press('Escape')
  expect(troubles).toEqual([])
})

test('messages that the server would reject are shown as plain text', async ({ page }) => {
  test.setTimeout(120_000)
  const troubles = await guarded(page)
  const room = await server.say('sms-gateway', '62899', 'Dian', 'Hello?')
  // Replace the server's response, as if it had not validated the messages.
  await page.route(`**/customer_rooms/${room}/messages*`, async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    const [first] = body.data.comments
    if (!first) return route.fulfill({ response: answer, json: body })
    const said = URLS.flatMap((url) => everyType(url, url))
    const types = [...said, { type: VECTORS[0], payload: { type: VECTORS[1] } }]
    body.data.comments = types.map((said, at) => ({
      ...first,
      ...said,
      id: first.id + at,
      id_str: String(first.id + at),
      unique_temp_id: `changed-${at}`,
      message: URLS[at % URLS.length],
      username: VECTORS[at % VECTORS.length],
      payload: said.payload ?? null,
    }))
    body.meta = { ...body.meta, before: null, after: null }
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto(`${server.url}/dashboard/inbox/all/${room}`)
  await expect(page.getByRole('article').first()).toBeVisible({ timeout: 30_000 })
  await seeAll(page)
  expect(troubles).toEqual([])
  const hrefs = await page
    .getByRole('article')
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol))
  for (const protocol of hrefs) expect(protocol).toMatch(/^(https?|mailto|tel):$/)
})
