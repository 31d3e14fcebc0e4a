import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Frame, Live, type LiveState } from './live'

/** A WebSocket controlled by the test. */
class FakeSocket {
  static readonly OPEN = 1
  static all: FakeSocket[] = []
  readyState = 0
  readonly sent: string[] = []
  onopen = () => {}
  onmessage = (_: { data: string }) => {}
  onclose = (_: { code: number }) => {}

  constructor(readonly url: URL) {
    FakeSocket.all.push(this)
  }
  send(text: string) {
    this.sent.push(text)
  }
  close() {
    this.readyState = 3
  }
  opens() {
    this.readyState = 1
    this.onopen()
  }
  fails(code = 1006) {
    this.readyState = 3
    this.onclose({ code })
  }
  static get newest(): FakeSocket {
    const socket = FakeSocket.all.at(-1)
    if (!socket) throw new Error('nobody connected')
    return socket
  }
}

let states: LiveState[]
let frames: Frame[]
let opened: number
let live: Live

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.all = []
  states = []
  frames = []
  opened = 0
  live = new Live({
    path: '/api/v2/inbox/live',
    onFrame: (frame) => frames.push(frame),
    onOpen: () => {
      opened += 1
    },
    onState: (state) => states.push(state),
  })
})

afterEach(() => {
  live.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Responses to event stream requests, in order. A response with a body stays open. */
function events(...answers: (string | number | Error)[]) {
  const requests: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    requests.push(path)
    const answer = answers.shift() ?? new Error('nothing more')
    if (answer instanceof Error) return Promise.reject(answer)
    if (typeof answer === 'number') return Promise.resolve(new Response(null, { status: answer }))
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode(answer)),
    })
    return Promise.resolve(new Response(body))
  })
  return requests
}

const is = () => states.at(-1)?.is

test('a silent connection is pinged, and replaced if there is no response', async () => {
  live.start()
  FakeSocket.newest.opens()
  await vi.advanceTimersByTimeAsync(40_000)
  expect(FakeSocket.newest.sent).toEqual(['{"type":"ping"}'])
  FakeSocket.newest.onmessage({ data: '{"type":"pong"}' })
  await vi.advanceTimersByTimeAsync(39_000)
  expect(is()).toBe('open')
  await vi.advanceTimersByTimeAsync(11_000)
  expect(is()).toBe('waiting')
})

test('a lost connection is reopened and reports that displayed data may be stale', async () => {
  live.start()
  FakeSocket.newest.opens()
  FakeSocket.newest.fails()
  expect(is()).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1000)
  FakeSocket.newest.opens()
  expect(is()).toBe('open')
  expect(opened).toBe(2)
})

test('failed reconnections do not change the time when the connection was lost', async () => {
  live.start()
  FakeSocket.newest.opens()
  FakeSocket.newest.fails()
  const since = states.flatMap((it) => ('since' in it ? [it.since] : [])).at(-1)
  await vi.advanceTimersByTimeAsync(1000)
  FakeSocket.newest.fails()
  expect(states.at(-1)).toEqual({ is: 'waiting', since })
})

test('behind a proxy without WebSockets, events are used and list the open rooms', async () => {
  const requests = events('', 'data: {"type":"hello"}\n\n', ': still here\n\n')
  live.start()
  for (const _ of [1, 2]) {
    FakeSocket.newest.fails()
    await vi.advanceTimersByTimeAsync(2000)
  }
  // The server responds, so a WebSocket is tried once more before events are used.
  FakeSocket.newest.fails()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(is()).toBe('events')
  expect(frames).toEqual([{ type: 'hello' }])
  live.say({ type: 'open', room_id: '55' })
  await vi.advanceTimersByTimeAsync(0)
  expect(requests.at(-1)).toBe('/api/v2/inbox/live?room_id=55')
  expect(frames.at(-1)).toEqual({ type: 'opened', data: { room_id: '55' } })
})

test('after an outage of the server the connection is a WebSocket again', async () => {
  events(new Error('away'), '')
  live.start()
  for (const _ of [1, 2]) {
    FakeSocket.newest.fails()
    await vi.advanceTimersByTimeAsync(2000)
  }
  const before = FakeSocket.all.length
  await vi.advanceTimersByTimeAsync(10_000)
  expect(FakeSocket.all.length).toBeGreaterThan(before)
  FakeSocket.newest.opens()
  expect(is()).toBe('open')
})

test('a signed-out client does not reconnect', async () => {
  live.start()
  FakeSocket.newest.opens()
  FakeSocket.newest.fails(1008)
  expect(is()).toBe('signed-out')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(FakeSocket.all).toHaveLength(1)
})
