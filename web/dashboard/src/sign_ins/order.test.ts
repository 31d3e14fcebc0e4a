import { expect, test } from 'vitest'
import { inOrder } from './order'

test('the current sign-in is first, then the last used ones', () => {
  const at = (id: string, seen_at: string, is_current = false) => ({
    id,
    seen_at,
    is_current,
    created_at: seen_at,
  })
  const all = [
    at('old', '2026-11-01T00:00:00Z'),
    at('here', '2026-11-02T00:00:00Z', true),
    at('new', '2026-11-16T00:00:00Z'),
  ]
  expect(inOrder(all).map((it) => it.id)).toEqual(['here', 'new', 'old'])
})
