import { expect, test } from 'vitest'
import { endpointInputOf } from './endpointInputOf'

function form(given: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(given)) form.set(name, value)
  return form
}

const GIVEN = { url: ' https://a.example/hook ', timeout: '2.5', at_once_max: '4', block: '15' }

test("seconds and minutes are converted to the API's units", () => {
  expect(endpointInputOf(form({ ...GIVEN, is_enabled: 'on', per_second_max: '' }))).toEqual({
    url: 'https://a.example/hook',
    is_enabled: true,
    timeout_ms: 2500,
    at_once_max: 4,
    block_s: 900,
  })
})

test('an unchecked box is false, and an empty limit is absent', () => {
  const wanted = endpointInputOf(form({ ...GIVEN, per_second_max: '50' }))
  expect(wanted.is_enabled).toBe(false)
  expect(wanted.per_second_max).toBe(50)
})
