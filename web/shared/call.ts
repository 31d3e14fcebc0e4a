// Calls of the server's API, with one error type for all failures.

/** The failure of a call. `status` is 0 if the server did not respond. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: readonly string[] = [],
    readonly requestId: string | null = null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
    this.name = 'CallError'
  }

  /** Whether the same call may succeed later without changes. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The server accepts the session cookie only together with this header, which a form on another
 * site cannot send. */
const OURS = { 'x-confab': '1' }

/** Calls the server with the session cookie. Returns the JSON body of the response. */
export async function call<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const init: RequestInit = { method, headers: OURS, credentials: 'same-origin' }
  if (body instanceof FormData) init.body = body
  else if (body !== undefined) {
    init.headers = { ...OURS, 'content-type': 'application/json' }
    init.body = JSON.stringify(body)
  }
  if (signal) init.signal = signal
  const response = await fetch(path, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError(0, 'The server did not answer.')
  })
  return read<T>(response)
}

/** Returns the JSON body of a response. Throws a `CallError` for an error status. */
export async function read<T>(response: Response): Promise<T> {
  const answer = parsed(await response.text())
  if (!response.ok) throw failure(response, answer)
  return answer as T
}

/** Returns a path with the query parameters that are neither undefined nor empty. */
export function withQuery(
  path: string,
  query: Record<string, string | number | undefined>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]))
  return given.length === 0 ? path : `${path}?${search}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function failure(response: Response, answer: unknown): CallError {
  const { message, details } = reason(answer)
  const after = Number(response.headers.get('retry-after'))
  return new CallError(
    response.status,
    message ?? `The server answered ${response.status}.`,
    details,
    response.headers.get('x-request-id'),
    Number.isFinite(after) && after > 0 ? after * 1000 : null,
  )
}

/** Reads both error formats: `errors` of the omnichannel API and `error` of the other APIs. */
function reason(answer: unknown): { message: string | null; details: string[] } {
  const body = object(answer)
  const errors = body?.errors ?? body?.error
  if (typeof errors === 'string') return { message: errors, details: [] }
  const shown = object(errors)
  const details = shown?.detailed_messages
  return {
    message: typeof shown?.message === 'string' ? shown.message : null,
    details: Array.isArray(details) ? details.filter((it) => typeof it === 'string') : [],
  }
}

function object(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
