import { afterEach, expect, test, vi } from 'vitest'
import { runBulkAction } from './bulk_actions'

afterEach(() => vi.unstubAllGlobals())

/** Replaces `fetch` by a function that returns these responses, and records the requests. */
function server(answer: (path: string, body: { room_ids: string[] }) => [number, object]) {
  const asked: { path: string; body: { room_ids: string[] } }[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string }) => {
    const given = JSON.parse(body ?? '{}')
    asked.push({ path, body: given })
    const [status, said] = answer(path, given)
    return new Response(JSON.stringify(said), { status })
  })
  return asked
}

const many = (count: number) =>
  new Map(Array.from({ length: count }, (_, at) => [String(at), `Customer ${at}`]))

const allDone = (room_ids: string[]) => ({
  data: { rooms: room_ids.map((room_id) => ({ room_id, is_done: true })) },
})

test('many conversations are sent in requests of a hundred', async () => {
  const asked = server((_, { room_ids }) => [200, allDone(room_ids)])
  const progress: number[] = []
  const { rows } = await runBulkAction({ is: 'resolve', notes: '' }, many(250), (at) =>
    progress.push(at),
  )
  expect(asked.map(({ body }) => body.room_ids.length)).toEqual([100, 100, 50])
  expect(progress).toEqual([100, 200, 250])
  expect(rows.filter((row) => row.why === null)).toHaveLength(250)
})

test('a failed request marks only its own conversations as failed', async () => {
  let calls = 0
  server((_, { room_ids }) => {
    calls += 1
    return calls === 2 ? [503, { errors: { message: 'Later.' } }] : [200, allDone(room_ids)]
  })
  const { rows } = await runBulkAction({ is: 'assign', agent: 2 }, many(250), () => {})
  expect(rows.map((row) => row.why).filter((why) => why === 'Later.')).toHaveLength(100)
  expect(rows[99]?.why).toBeNull()
  expect(rows[100]).toEqual({ room: '100', name: 'Customer 100', why: 'Later.' })
  expect(rows[200]?.why).toBeNull()
})

test('each conversation is reopened by its own request, with its own error', async () => {
  const asked = server((path) =>
    path.includes('/1/') ? [409, { errors: { message: 'It is open.' } }] : [200, {}],
  )
  const { rows } = await runBulkAction({ is: 'reopen' }, many(3), () => {})
  expect(asked.map(({ path }) => path)).toContain('/api/v2/customer_rooms/2/reopen')
  expect(rows.map((row) => row.why)).toEqual([null, 'It is open.', null])
})
