import { afterEach, expect, test, vi } from 'vitest'
import { listen, SILENCE_MS } from './realtime_events'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a silent event stream is canceled', async () => {
  vi.useFakeTimers()
  let enqueue: (text: string) => void = () => {}
  let isGivenUp = false
  const body = new ReadableStream({
    start(controller) {
      enqueue = (text) => controller.enqueue(new TextEncoder().encode(text))
    },
    cancel() {
      isGivenUp = true
    },
  })
  vi.stubGlobal('fetch', async () => new Response(body))
  const texts: string[] = []
  const url = new URL('http://localhost/realtime')
  const to = { onOpen: () => {}, onText: (text: string) => texts.push(text) }
  const ended = listen(url, {}, new AbortController().signal, to)
  enqueue('data:{"type":"hello"}\n\n')
  await vi.advanceTimersByTimeAsync(SILENCE_MS - 1)
  enqueue(': still here\n\n')
  await vi.advanceTimersByTimeAsync(SILENCE_MS - 1)
  expect(isGivenUp).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  expect(await ended).toBe(200)
  expect(isGivenUp).toBe(true)
  expect(texts).toEqual(['{"type":"hello"}'])
})
