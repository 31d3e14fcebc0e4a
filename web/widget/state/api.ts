// The API calls of the widget. All are public and allow any origin.

import type { components } from '../../shared/api'
import { CallError, read } from '../../shared/call'
import type { Property } from './state_store'

type Schemas = components['schemas']
export type Comment = Schemas['ClientComment']

/** Body of `post_comment`, without the room. */
export interface Draft {
  type: string
  comment: string
  payload?: unknown
}

interface Results<T> {
  results: T
}

interface Initiated {
  customer_room: { room_id: string; is_resolved: boolean }
  identity_token: string
  visitor_secret?: string | null
}

/** Time after which a request without a response is aborted. */
const TIMEOUT_MS = 20_000
export const PAGE = 30

/** Whether the server rejected the token, rather than the request itself. */
export function isTokenRefused(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  return error.status === 401 || (error.status === 403 && error.message === 'Unauthorized')
}

export class Api {
  constructor(
    private readonly base: string,
    private readonly app: string,
    private readonly brand: string,
  ) {}

  async nonce(): Promise<string> {
    const { results } = await this.sdk<{ nonce: string }>('POST', 'auth/nonce')
    return results.nonce
  }

  async verify(identityToken: string): Promise<{ email: string; token: string }> {
    type Verified = { user: { email: string; token: string } }
    const body = { identity_token: identityToken }
    return (await this.sdk<Verified>('POST', 'auth/verify_identity_token', body)).results.user
  }

  async initiate(visitor: {
    user_id: string
    name: string
    nonce: string
    user_properties: Property[]
    visitor_secret?: string
    identity_token?: string
  }): Promise<Initiated> {
    const path = `api/v2/${this.brand}/initiate_chat`
    const body = { app_id: this.app, ...visitor }
    return (await this.send<{ data: Initiated }>('POST', path, body)).data
  }

  /** Returns up to `PAGE` messages, newest first. */
  async load(token: string, room: string, from?: { id: string; isAfter: boolean }) {
    const query = new URLSearchParams({ topic_id: room, limit: String(PAGE) })
    if (from) query.set('last_comment_id', from.id)
    if (from?.isAfter) query.set('after', 'true')
    type Loaded = { comments: Comment[] }
    const path = `load_comments?${query}`
    return (await this.sdk<Loaded>('GET', path, undefined, token)).results.comments
  }

  async post(token: string, room: string, uniqueId: string, draft: object): Promise<Comment> {
    const body = { topic_id: room, unique_temp_id: uniqueId, ...draft }
    const posted = await this.sdk<{ comment: Comment }>('POST', 'post_comment', body, token)
    return posted.results.comment
  }

  async updateStatus(
    token: string,
    room_id: string,
    upTo: { last_comment_read_id?: string; last_comment_received_id?: string },
  ): Promise<void> {
    await this.sdk('POST', 'update_comment_status', { room_id, ...upTo }, token)
  }

  async ticket(token: string): Promise<string> {
    const path = 'realtime_ticket'
    return (await this.sdk<{ ticket: string }>('POST', path, undefined, token)).results.ticket
  }

  headers(token?: string): Record<string, string> {
    const prefix = `${this.brand}-sdk`
    return { [`${prefix}-app-id`]: this.app, ...(token ? { [`${prefix}-token`]: token } : {}) }
  }

  private sdk<T>(method: string, path: string, body?: unknown, token?: string) {
    return this.send<Results<T>>(method, `api/v2/sdk/${path}`, body, token)
  }

  private async send<T>(method: string, path: string, body?: unknown, token?: string): Promise<T> {
    const init: RequestInit = {
      method,
      headers: this.headers(token),
      credentials: 'omit',
      // Complete the request even if the page is closed.
      keepalive: method === 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    if (body !== undefined) {
      init.headers = { ...init.headers, 'content-type': 'application/json' }
      init.body = JSON.stringify(body)
    }
    const response = await fetch(this.base + path, init).catch(() => {
      throw new CallError(0, '')
    })
    return read<T>(response)
  }
}
