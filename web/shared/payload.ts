// Readers for untrusted payloads: a value of an unexpected type becomes an empty one.

export type Payload = Record<string, unknown>

export function record(value: unknown): Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Payload)
    : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

export function list(value: unknown): Payload[] {
  return Array.isArray(value) ? value.map(record) : []
}
