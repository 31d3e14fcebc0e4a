import type { EndpointInput } from '../app/shapes'

/** Converts the form's values to the API's units. */
export function endpointInputOf(form: FormData): EndpointInput {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const number = (name: string, of = 1) => Math.round(Number(text(name)) * of)
  const wanted: EndpointInput = {
    url: text('url'),
    is_enabled: form.has('is_enabled'),
    timeout_ms: number('timeout', 1000),
    at_once_max: number('at_once_max'),
    block_s: number('block', 60),
  }
  return text('per_second_max') === ''
    ? wanted
    : { ...wanted, per_second_max: number('per_second_max') }
}
