import { expect, type Page, test } from '@playwright/test'
import { admin, requests, signIn } from './helpers/people'
import { field, launcher, Street, said, texts, watch, write } from './helpers/widget_helpers'

let street: Street

test.beforeAll(async () => {
  // Larger files are rejected.
  street = await Street.open('--upload-max-bytes', '1000')
})

test.afterAll(() => street.close())

test.beforeEach(() => street.server.widget())

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const POSTBACK = { url: '', method: 'get', payload: null }

test('a visitor writes, an agent replies, and the conversation continues on the next page', async ({
  page,
}) => {
  const troubles = watch(page)
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(field(page)).toBeFocused()
  await write(page, 'Where is my order?')
  await expect(said(page, 'Where is my order?')).toBeVisible()
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  await street.server.reply(await street.roomIn(page), 'It is on its way.')
  await expect(said(page, 'It is on its way.')).toBeVisible()
  await page.goto(`${street.shop.url}/other`)
  await expect(said(page, 'It is on its way.')).toBeVisible()
  await page.getByRole('button', { name: 'Close chat' }).click()
  await expect(launcher(page)).toBeFocused()
  expect(troubles).toEqual([])
})

test('a page view without a click only loads the launcher and the settings', async ({ page }) => {
  const made = requests(page)
  await page.goto(street.shop.url)
  await expect(launcher(page)).toBeVisible()
  const { url, appId } = street.server
  const asked = made.filter((it) => it.includes(url))
  expect(asked).toEqual([`GET ${url}/widget.js`, `GET ${url}/api/v2/widget/${appId}`])
})

test('the public settings contain no secret and are cached by ETag', async () => {
  const { url, appId, sdkSecret, adminPassword } = street.server
  const path = `${url}/api/v2/widget/${appId}`
  const first = await fetch(path)
  const text = await first.text()
  for (const secret of [sdkSecret, adminPassword]) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/secret|token|password|allowed_origins/)
  const etag = first.headers.get('etag') ?? ''
  const ask = () => fetch(path, { headers: { 'if-none-match': etag } })
  expect((await ask()).status).toBe(304)
  await street.server.widget({ theme: { colour: '#b00020' } })
  expect((await ask()).status).toBe(200)
})

test('the form comes before the first message, and its answers are sent with it', async ({
  page,
}) => {
  const field_ = (key: string, type: string, is_required: boolean) => ({
    key,
    type,
    is_required,
    label: { en: key, id: key },
  })
  await street.server.widget({
    fields: [
      field_('name', 'text', true),
      field_('email', 'email', true),
      field_('phone', 'phone', false),
    ],
  })
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(field(page)).toHaveCount(0)
  await page.getByRole('textbox', { name: 'email' }).fill('not an address')
  await page.getByRole('button', { name: 'Start chat' }).click()
  await expect(page.getByText('Please fill this in.')).toBeVisible()
  await expect(page.getByText('Please enter an email address.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'name' })).toBeFocused()
  await page.getByRole('textbox', { name: 'name' }).fill('Ana Lopez')
  await page.getByRole('textbox', { name: 'email' }).fill('ana@example.com')
  await page.keyboard.press('Enter')
  await expect(field(page)).toBeFocused()
  await write(page, 'Hello?')
  const room = await street.roomIn(page)
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const shown = await street.server.call('GET', `/api/v2/customer_rooms/${room}`)
  expect(JSON.stringify(shown)).toContain('"name":"Ana Lopez"')
  const info = await street.server.call('GET', `/api/v1/service/room/${room}/user_info`)
  expect(JSON.stringify(info)).toContain('ana@example.com')
})

test('a postback button posts its text, and a link button opens its URL', async ({ page }) => {
  const room = await street.begin(page)
  const buttons = [
    { label: 'Delivery', type: 'postback', payload: { ...POSTBACK, payload: { about: 1 } } },
    { label: 'Payment', type: 'postback', postback_text: 'I want to pay', payload: POSTBACK },
    { label: 'Our shop', type: 'link', payload: { url: 'https://shop.example.com/' } },
  ]
  const payload = { text: 'What is it about?', buttons }
  await street.server.reply(room, '', { type: 'buttons', payload })
  await page.getByRole('button', { name: 'Delivery' }).dblclick()
  await expect(said(page, 'Delivery')).toHaveCount(2)
  const link = page.getByRole('link', { name: 'Our shop' })
  await expect(link).toHaveAttribute('href', 'https://shop.example.com/')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow')
  const answers = async () =>
    (await street.server.comments(room))
      .filter(({ type }) => type === 'button_postback_response')
      .map(({ message, payload }) => [message, payload])
  const pressed = { ...POSTBACK, payload: { about: 1 } }
  await expect.poll(answers).toEqual([['Delivery', pressed]])
  await page.getByRole('button', { name: 'Payment' }).click()
  await expect.poll(answers).toEqual([
    ['I want to pay', POSTBACK],
    ['Delivery', pressed],
  ])
})

test('every message type is shown', async ({ page }) => {
  const room = await street.begin(page)
  const reply = (type: string, payload: object) => street.server.reply(room, '', { type, payload })
  const card = (title: string) => ({
    image: '',
    title,
    description: `About ${title}`,
    default_action: { type: 'postback', postback_text: '', payload: POSTBACK },
    buttons: [{ label: `Buy ${title}`, type: 'postback', payload: POSTBACK }],
  })
  await reply('card', { ...card('Tea'), text: 'A card', url: 'https://shop.example.com/tea' })
  await expect(page.getByRole('link', { name: 'Tea' })).toBeVisible()
  await reply('carousel', { cards: ['Coffee', 'Honey'].map(card) })
  await expect(page.getByRole('list', { name: 'Cards' }).getByRole('listitem')).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Buy Honey' })).toBeVisible()
  const place = { name: 'Our door', address: 'Jl. Merdeka 1', latitude: -6.2, longitude: 106.8 }
  await reply('location', { ...place, map_url: 'https://maps.example.com/' })
  await expect(page.getByRole('link', { name: 'Open map' })).toBeVisible()
  await reply('contact_person', { name: 'Budi', value: '+62811', type: 'phone' })
  await expect(page.getByRole('link', { name: '+62811' })).toHaveAttribute('href', 'tel:%2B62811')
  const params = {
    user_id: 'a',
    topic_id: room,
    button_text: 'Link it',
    view_title: '',
    success_message: '',
  }
  const linking = {
    text: 'Link your account',
    url: 'https://shop.example.com/link',
    redirect_url: '',
  }
  await reply('account_linking', { ...linking, params })
  await expect(page.getByRole('link', { name: 'Link it' })).toBeVisible()
  const url = `${street.chat}/files/manual.pdf`
  await reply('file_attachment', { url, caption: 'Read this', file_name: 'manual.pdf', size: 1234 })
  await expect(page.getByText('manual.pdf 1.2 kB')).toBeVisible()
  await expect(page.getByText('Read this')).toBeVisible()
  const [first] = (await street.server.comments(room)).slice(-1)
  await reply('reply', { text: 'About that', replied_comment_id: first?.id })
  await expect(page.locator('blockquote')).toContainText('Hello?')
  await reply('custom', { type: 'weather', content: { rain: true } })
  await expect(page.getByText('This message cannot be shown here.')).toBeVisible()
  await street.server.reply(room, 'Plain again')
  await expect(said(page, 'Plain again')).toBeVisible()
})

test('files can be chosen, pasted or dropped, and some are rejected before the upload', async ({
  page,
}) => {
  await street.begin(page)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach file' }).click()
  await (await chooser).setFiles({ name: 'chosen.png', mimeType: 'image/png', buffer: PNG })
  await expect(page.getByRole('img', { name: 'chosen.png' })).toBeVisible()
  for (const kind of ['paste', 'drop']) {
    await field(page).evaluate((area, kind) => {
      const data = new DataTransfer()
      data.items.add(new File(['some words'], `${kind}.txt`, { type: 'text/plain' }))
      const init = { bubbles: true, composed: true, cancelable: true }
      area.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data }),
      )
    }, kind)
    await expect(page.getByRole('link', { name: `${kind}.txt` })).toBeVisible()
  }
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2000) })
  await expect(page.getByRole('alert')).toHaveText('big.txt is larger than 1 kB.')
  await page.getByRole('button', { name: 'Discard: big.txt' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('both sides see typing indicators and read positions', async ({ page }) => {
  const room = await street.begin(page)
  const agent = await street.server.serve(room)
  const frames = await page.evaluateHandle(
    async ([url, token]) => {
      const seen: { type: string; data: { is_typing?: boolean } }[] = []
      const socket = new WebSocket(`${url}/realtime?token=${token}`)
      socket.onmessage = ({ data }) => seen.push(JSON.parse(data))
      await new Promise((resolve) => {
        socket.onopen = resolve
      })
      return { socket, seen }
    },
    [street.chat.replace('http', 'ws'), agent.token] as const,
  )
  await frames.evaluate(({ socket }, room_id) => {
    socket.send(JSON.stringify({ type: 'typing', room_id, is_typing: true }))
  }, room)
  await expect(page.getByText('Admin is typing…')).toBeVisible()
  await agent.say(room, 'Good morning')
  await expect(page.getByText('Admin is typing…')).toHaveCount(0)
  await field(page).pressSequentially('Good')
  const heard = (type: string) =>
    frames.evaluate(({ seen }, type) => seen.filter((it) => it.type === type), type)
  await expect.poll(async () => (await heard('typing')).at(-1)?.data.is_typing).toBe(true)
  await expect.poll(async () => (await heard('read')).length).toBeGreaterThan(0)
  await write(page, 'Good evening')
  await expect.poll(async () => (await heard('typing')).at(-1)?.data.is_typing).toBe(false)
  const newest = async () => (await street.server.comments(room))[0]?.message
  await expect.poll(newest).toBe('Good evening')
  await agent.read(room)
  await expect(page.getByText(/· Read$/)).toBeVisible()
})

test('unread messages are counted on the launcher and in the title until they are seen', async ({
  page,
}) => {
  const room = await street.begin(page)
  await page.getByRole('button', { name: 'Close chat' }).click()
  await street.server.reply(room, 'One')
  await expect(page.getByRole('button', { name: 'Open chat, 1 new message' })).toBeVisible()
  await street.server.reply(room, 'Two')
  await expect(page.getByRole('button', { name: 'Open chat, 2 new messages' })).toBeVisible()
  await expect(page).toHaveTitle('(2) Shop')
  await page.goto(`${street.shop.url}/other`)
  await expect(page.getByRole('button', { name: 'Open chat, 2 new messages' })).toBeVisible()
  await launcher(page).click()
  await expect(page).toHaveTitle('Shop')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Open chat', exact: true })).toBeFocused()
})

test('each new message is announced once to screen readers', async ({ page }) => {
  const room = await street.begin(page)
  await street.server.reply(room, 'Listen')
  await expect(page.getByRole('log')).toHaveText('Bot: Listen')
})

test('the away text is the default or the one of the shop', async ({ page }) => {
  await street.server.available(false)
  await page.goto(street.shop.url)
  await launcher(page).click()
  await expect(page.getByText(/^Nobody is here right now/)).toBeVisible()
  const texts = { en: { away: 'Back at nine.', welcome: 'Selamat datang!', title: 'Ask us' } }
  await street.server.widget({ texts })
  await page.reload()
  await expect(page.getByText('Back at nine.')).toBeVisible()
  await expect(page.getByText('Selamat datang!')).toBeVisible()
  await expect(page.getByRole('dialog', { name: 'Ask us' })).toBeVisible()
  await street.server.available(true)
  await page.reload()
  await expect(page.getByText('Selamat datang!')).toBeVisible()
  await expect(page.getByText('Back at nine.')).toHaveCount(0)
})

test('an ended conversation continues in its room', async ({ page }) => {
  const room = await street.begin(page)
  await street.server.resolve(room)
  await expect(page.getByText('This conversation has ended.')).toBeVisible()
  await page.getByRole('button', { name: 'Start again' }).click()
  await expect(field(page)).toBeFocused()
  await write(page, 'One more thing')
  await expect(page.getByRole('button', { name: 'Start again' })).toHaveCount(0)
  expect(await street.roomIn(page)).toBe(room)
})

test('in a sessional app, the next conversation has a new room', async ({ page }) => {
  await street.server.sessional(true)
  const room = await street.begin(page)
  await street.server.resolve(room)
  await expect(field(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Start again' }).click()
  await write(page, 'Anew')
  await expect(said(page, 'Anew')).toBeVisible()
  await expect(said(page, 'Hello?')).toHaveCount(0)
  expect(await street.roomIn(page)).not.toBe(room)
  await street.server.sessional(false)
})

test('deleted messages leave a placeholder, and edited ones show their new text', async ({
  page,
}) => {
  const room = await street.begin(page)
  const agent = await street.server.serve(room)
  const id = await agent.say(room, 'Wrogn')
  await expect(said(page, 'Wrogn')).toBeVisible()
  await agent.correct(id, 'Right')
  await expect(said(page, 'Right')).toBeVisible()
  await agent.remove(id)
  await expect(said(page, 'Right')).toHaveCount(0)
})

test('the language is that of the page, or the one the customer chose', async ({ page }) => {
  street.page('/id', '', { html: 'lang="id-ID"' })
  street.page('/asked', '', { script: 'data-lang="id"' })
  for (const path of ['/id', '/asked']) {
    await page.goto(street.shop.url + path)
    await page.getByRole('button', { name: 'Buka obrolan' }).click()
    await expect(page.getByRole('textbox', { name: 'Pesan' })).toBeVisible()
    await page.getByRole('button', { name: 'Tutup obrolan' }).click()
  }
  await page.goto(street.shop.url)
  await launcher(page).click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('id')
  await expect(page.getByRole('textbox', { name: 'Pesan' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Pesan' })).toBeVisible()
})

test('the page and the widget communicate only by Confab', async ({ page }) => {
  const stub =
    "<script>before = new Set(Object.getOwnPropertyNames(window)); events = []; Confab = function () { (Confab.q = Confab.q || []).push(arguments) }; for (const it of ['ready', 'open', 'close', 'message', 'unread']) Confab('on', it, (detail) => events.push([it, detail?.text ?? detail ?? null]))</script>"
  street.page('/api', stub)
  await page.goto(`${street.shop.url}/api`)
  await expect(launcher(page)).toBeVisible()
  const run = (...values: unknown[]) =>
    // biome-ignore lint/suspicious/noExplicitAny: a global of the page
    page.evaluate((values) => void (window as any).Confab(...values), values)
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page
  const events = () => page.evaluate(() => (window as any).events)
  await run('open')
  await expect(field(page)).toBeVisible()
  await run('properties', { Order: 'A-17' })
  await write(page, 'Hello?')
  const room = await street.roomIn(page)
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const info = await street.server.call('GET', `/api/v1/service/room/${room}/user_info`)
  expect(JSON.stringify(info)).toContain('A-17')
  await run('close')
  await street.server.reply(room, 'Here')
  await expect(page.getByRole('button', { name: 'Open chat, 1 new message' })).toBeVisible()
  expect(await events()).toEqual([
    ['ready', null],
    ['open', null],
    ['close', null],
    ['unread', 1],
    ['message', 'Here'],
  ])
  const added = await page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: a global of the page
    const { before } = window as any
    return Object.getOwnPropertyNames(window).filter((it) => !before.has(it))
  })
  expect(added.sort()).toEqual(['Confab', 'before', 'events'].sort())
  await run('forget')
  expect(await storage(page)).toEqual([])
  await page.reload()
  await expect(launcher(page)).toBeVisible()
  expect(await storage(page)).toEqual([])
})

/** Returns the names of everything that is stored in this page. */
const storage = (page: Page) =>
  page.evaluate(() =>
    [...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie].filter(Boolean),
  )

test('properties set by the page are visible to the agent', async ({ page, context }) => {
  await page.goto(street.shop.url)
  await expect(launcher(page)).toBeVisible()
  const confab = (...values: unknown[]) =>
    // biome-ignore lint/suspicious/noExplicitAny: a global of the page
    page.evaluate((it) => void (window as any).Confab(...it), values)
  await confab('properties', { Plan: 'gold' })
  await launcher(page).click()
  await write(page, 'Who am I?')
  await expect(page.getByText(/· Sent$/)).toBeVisible()
  const room = await street.roomIn(page)
  const desk = await context.newPage()
  await signIn(desk, street.server, admin(street.server))
  await desk.goto(`${street.server.url}/dashboard/inbox/all/${room}`)
  const beside = desk.getByRole('region', { name: 'Customer' })
  await expect(beside.getByText('gold')).toBeVisible()
  // Properties set later are visible after a reload.
  await confab('properties', { Basket: '3 things' })
  await expect(async () => {
    await desk.reload()
    await expect(beside.getByText('3 things')).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await expect(beside.getByText('gold')).toBeVisible()
  await desk.close()
})

test('an unseen message plays one sound, in one tab, unless it is disabled', async ({
  page,
  context,
}) => {
  await context.addInitScript(() => {
    const rung = { count: 0 }
    Object.assign(window, { rung })
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...at) {
      rung.count += 1
      start.apply(this, at)
    }
  })
  // biome-ignore lint/suspicious/noExplicitAny: a global set above
  const rung = (it: Page) => it.evaluate(() => (window as any).rung.count as number)
  const room = await street.begin(page)
  const other = await context.newPage()
  await other.goto(street.shop.url)
  await page.getByRole('button', { name: 'Close chat' }).click()
  for (const number of [1, 2]) {
    await street.server.reply(room, `News ${number}`)
    for (const each of [page, other]) {
      const name = new RegExp(`^Open chat, ${number} new`)
      await expect(each.getByRole('button', { name })).toBeVisible()
    }
    await expect.poll(async () => (await rung(page)) + (await rung(other))).toBe(number)
  }
  await page.bringToFront()
  await launcher(page).click()
  // A seen message plays no sound.
  await street.server.reply(room, 'Seen')
  await expect(said(page, 'Seen')).toBeVisible()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('checkbox', { name: 'Sound' }).uncheck()
  await page.getByRole('button', { name: 'Close chat' }).click()
  await street.server.reply(room, 'Silent')
  await expect(page.getByRole('button', { name: 'Open chat, 1 new message' })).toBeVisible()
  await launcher(page).click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('checkbox', { name: 'Sound' }).check()
  await page.getByRole('button', { name: 'Close chat' }).click()
  await street.server.reply(room, 'Loud')
  await expect.poll(async () => (await rung(page)) + (await rung(other))).toBe(3)
})

test('below 480 px the chat fills the screen, and reduced motion disables animations', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 700 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(street.shop.url)
  await launcher(page).click()
  const panel = page.getByRole('dialog')
  expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 700 })
  expect(await panel.evaluate((it) => getComputedStyle(it).animationName)).toBe('none')
  await page.setViewportSize({ width: 320, height: 600 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

test('on a right-to-left page the widget is on the other side', async ({ page }) => {
  street.page('/rtl', '', { html: 'lang="en" dir="rtl"' })
  await page.goto(`${street.shop.url}/rtl`)
  expect((await launcher(page).boundingBox())?.x).toBe(20)
  await street.server.widget({ theme: { colour: '#0b6bcb', position: 'start' } })
  await page.goto(street.shop.url)
  expect((await launcher(page).boundingBox())?.x).toBe(20)
})

test('older messages load on scrolling up', async ({ page }) => {
  const room = await street.begin(page)
  for (let at = 1; at <= 70; at++) await street.server.reply(room, `number ${at}`)
  await page.reload()
  await expect(said(page, 'number 70')).toBeVisible()
  await expect(said(page, 'Hello?')).toHaveCount(0)
  await expect(async () => {
    await page.locator('.list').evaluate((it) => it.scrollTo(0, 0))
    expect((await texts(page)).length).toBe(71)
  }).toPass()
  expect(await texts(page)).toEqual([
    'Hello?',
    ...Array.from({ length: 70 }, (_, at) => `number ${at + 1}`),
  ])
})
