// The live connection of a widget: `/realtime` as a WebSocket with a ticket, or as server-sent
// events where a proxy blocks WebSockets. A new connection sends the id of the last received event,
// so that the server can send the missed ones; subscribers still reload what they display after
// `onOpen`.

import { backoff } from './backoff'
import { CallError } from './call'

export interface RealtimeFrame {
  id?: string
  type: string
  data?: unknown
}

export type RealtimeState = 'connecting' | 'open' | 'waiting'

export interface RealtimeOptions {
  /** Base URL of the server, with a trailing slash. */
  base: string
  /** Requests a ticket, which opens one WebSocket. */
  ticket: () => Promise<string>
  /** Headers that authenticate the event stream. */
  headers: Record<string, string>
  onFrame: (frame: RealtimeFrame) => void
  onOpen: () => void
  onState: (state: RealtimeState) => void
  /** Called when the server rejects the token. The connection has stopped. */
  onRefused: () => void
}

const CLOSED_REFUSED = 1008
/** Number of WebSockets that fail to open before server-sent events are tried. */
const UPGRADES_TRIED = 2
/** Interval between pings. A WebSocket that leaves two of them unanswered is closed. */
const PING_MS = 25_000

export class Realtime {
  private socket: WebSocket | null = null
  private events: AbortController | null = null
  private retry: ReturnType<typeof setTimeout> | undefined
  private pinging: ReturnType<typeof setInterval> | undefined
  private unanswered = 0
  private failures = 0
  private neverOpened = 0
  private lastEventId = ''
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

  /** Sends a frame if a WebSocket is open; drops it otherwise. */
  send(frame: Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame))
  }

  /** Reconnects immediately if a reconnection is scheduled and the page is visible. */
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
    url.search = String(new URLSearchParams({ ticket, last_event_id: this.lastEventId }))
    const socket = new WebSocket(url)
    this.socket = socket
    let hasOpened = false
    socket.onopen = () => {
      hasOpened = true
      this.neverOpened = 0
      this.pinging = setInterval(() => this.ping(), PING_MS)
      this.opened()
    }
    socket.onmessage = ({ data }) => this.receive(String(data))
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return
      // Failures while offline do not indicate a proxy.
      if (!hasOpened && navigator.onLine) this.neverOpened += 1
      this.lost(code === CLOSED_REFUSED)
    }
  }

  private async listen(): Promise<void> {
    const events = new AbortController()
    this.events = events
    const headers = {
      ...this.options.headers,
      ...(this.lastEventId ? { 'last-event-id': this.lastEventId } : {}),
    }
    const { listen } = await import('./realtime_events')
    const status = await listen(new URL('realtime', this.options.base), headers, events.signal, {
      onOpen: () => this.opened(),
      onText: (text) => this.receive(text),
    })
    // Try a WebSocket next time: the network may have changed.
    this.neverOpened = 1
    if (!events.signal.aborted) this.lost(status === 403)
  }

  private opened(): void {
    this.failures = 0
    this.unanswered = 0
    this.options.onState('open')
    this.options.onOpen()
  }

  private receive(text: string): void {
    this.unanswered = 0
    let frame: RealtimeFrame
    try {
      frame = JSON.parse(text)
    } catch {
      return
    }
    if (typeof frame?.type !== 'string') return
    if (typeof frame.id === 'string') this.lastEventId = frame.id
    this.options.onFrame(frame)
  }

  private ping(): void {
    this.unanswered += 1
    if (this.unanswered > 2) this.lost(false)
    else this.send({ type: 'ping' })
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
