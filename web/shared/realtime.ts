// A customer's live connection: `/realtime` as a WebSocket with a ticket, or as server-sent events
// where something on the way lets no WebSocket through. It says where it stopped when it comes back,
// so that nothing in between is missed; `onOpen` is still the moment to read again what is shown.

import { backoff } from './backoff'
import { CallError } from './call'

export interface RealtimeFrame {
  id?: string
  type: string
  data?: unknown
}

export type RealtimeState = 'connecting' | 'open' | 'waiting'

export interface RealtimeOptions {
  /** The server, with a slash at its end. */
  base: string
  /** Gives something that opens one connection. */
  ticket: () => Promise<string>
  /** What proves the caller where headers can be sent. */
  headers: Record<string, string>
  onFrame: (frame: RealtimeFrame) => void
  onOpen: () => void
  onState: (state: RealtimeState) => void
  /** The token is not good any more; nothing more is tried. */
  onRefused: () => void
}

const CLOSED_REFUSED = 1008
/** So many sockets that never opened are a proxy that does not pass them. */
const UPGRADES_TRIED = 2
/** A socket that is asked this often and says nothing twice is dead. */
const PING_MS = 25_000

export class Realtime {
  private socket: WebSocket | null = null
  private events: AbortController | null = null
  private retry: ReturnType<typeof setTimeout> | undefined
  private pinging: ReturnType<typeof setInterval> | undefined
  private unanswered = 0
  private failures = 0
  private neverOpened = 0
  private seen = ''
  private isStopped = false

  constructor(private readonly options: RealtimeOptions) {}

  start(): void {
    addEventListener('online', this.now)
    addEventListener('pageshow', this.now)
    document.addEventListener('visibilitychange', this.now)
    void this.connect()
  }

  stop(): void {
    this.isStopped = true
    removeEventListener('online', this.now)
    removeEventListener('pageshow', this.now)
    document.removeEventListener('visibilitychange', this.now)
    this.drop()
  }

  /** Says something, if it can be said now. */
  say(frame: Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame))
  }

  /** Tries at once instead of waiting further. */
  readonly now = (): void => {
    if (this.retry === undefined || this.isStopped || document.hidden) return
    clearTimeout(this.retry)
    this.retry = undefined
    void this.connect()
  }

  private async connect(): Promise<void> {
    this.options.onState('connecting')
    try {
      if (this.neverOpened >= UPGRADES_TRIED) await this.listen()
      else this.open(await this.options.ticket())
    } catch (error) {
      this.lost(error instanceof CallError && !error.isPassing)
    }
  }

  private open(ticket: string): void {
    if (this.isStopped) return
    const url = new URL('realtime', this.options.base)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    url.search = String(new URLSearchParams({ ticket, last_event_id: this.seen }))
    const socket = new WebSocket(url)
    this.socket = socket
    let hasOpened = false
    socket.onopen = () => {
      hasOpened = true
      this.neverOpened = 0
      this.pinging = setInterval(() => this.ping(), PING_MS)
      this.opened()
    }
    socket.onmessage = ({ data }) => this.heard(String(data))
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return
      // Not while offline: that says nothing about what is on the way.
      if (!hasOpened && navigator.onLine) this.neverOpened += 1
      this.lost(code === CLOSED_REFUSED)
    }
  }

  private async listen(): Promise<void> {
    const events = new AbortController()
    this.events = events
    const headers = {
      ...this.options.headers,
      ...(this.seen ? { 'last-event-id': this.seen } : {}),
    }
    const { listen } = await import('./realtime_events')
    const status = await listen(new URL('realtime', this.options.base), headers, events.signal, {
      onOpen: () => this.opened(),
      onText: (text) => this.heard(text),
    })
    // The next one is a socket again: what was in the way may be gone.
    this.neverOpened = 1
    if (!events.signal.aborted) this.lost(status === 403)
  }

  private opened(): void {
    this.failures = 0
    this.unanswered = 0
    this.options.onState('open')
    this.options.onOpen()
  }

  private heard(text: string): void {
    this.unanswered = 0
    let frame: RealtimeFrame
    try {
      frame = JSON.parse(text)
    } catch {
      return
    }
    if (typeof frame?.type !== 'string') return
    if (typeof frame.id === 'string') this.seen = frame.id
    this.options.onFrame(frame)
  }

  private ping(): void {
    this.unanswered += 1
    if (this.unanswered > 2) this.lost(false)
    else this.say({ type: 'ping' })
  }

  private lost(isRefused: boolean): void {
    this.drop()
    if (this.isStopped) return
    if (isRefused) {
      this.stop()
      this.options.onRefused()
      return
    }
    this.failures += 1
    this.options.onState('waiting')
    this.retry = setTimeout(() => {
      this.retry = undefined
      void this.connect()
    }, backoff(this.failures))
  }

  private drop(): void {
    clearTimeout(this.retry)
    clearInterval(this.pinging)
    this.retry = undefined
    const socket = this.socket
    this.socket = null
    socket?.close()
    this.events?.abort()
    this.events = null
  }
}
