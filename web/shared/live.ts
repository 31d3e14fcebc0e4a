// The live connection of a dashboard tab: a WebSocket, or server-sent events where a proxy blocks
// WebSockets. Frames may get lost while it is down: after `onOpen`, subscribers reload what they
// display.

import { backoff } from './backoff'

export interface Frame {
  type: string
  data?: unknown
}

/** State of the connection. `events` receives frames like `open`, but can only send which rooms are
 * open. `since` is the time in ms at which the connection was lost or first attempted. */
export type LiveState =
  | { is: 'connecting'; since: number }
  | { is: 'open' }
  | { is: 'events' }
  | { is: 'waiting'; since: number }
  | { is: 'signed-out' }

export interface LiveOptions {
  /** Path of the WebSocket and of the event stream on this page's host. */
  path: string
  onFrame: (frame: Frame) => void
  /** Called for each new connection: displayed data may be stale. */
  onOpen: () => void
  onState: (state: LiveState) => void
}

/** Close code of the server for an ended sign-in. */
const CLOSED_SIGNED_OUT = 1008
/** Number of WebSockets that fail to open before server-sent events are tried. */
const UPGRADES_TRIED = 2
/** Time without frames after which the connection is pinged. Pages cannot see the WebSocket pings
 * of the server. */
const SILENCE_MS = 40_000
/** Maximum time until the response to a ping. */
const ANSWER_MS = 10_000

export class Live {
  private socket: WebSocket | null = null
  private events: AbortController | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private neverOpened = 0
  /** Whether an event stream request succeeded since the last WebSocket opened. */
  private isServerThere = false
  private since = 0
  private isStopped = false
  private publishedState: LiveState['is'] | null = null
  private readonly rooms = new Set<string>()

  constructor(private readonly options: LiveOptions) {}

  start(): void {
    addEventListener('online', this.now)
    document.addEventListener('visibilitychange', this.whenVisible)
    this.connect()
  }

  stop(): void {
    this.isStopped = true
    removeEventListener('online', this.now)
    document.removeEventListener('visibilitychange', this.whenVisible)
    this.drop()
  }

  /** Sends a frame; returns false if that is not possible now. An event stream is requested again
   * to open another room. */
  say(frame: Frame & Record<string, unknown>): boolean {
    const isOpening = this.trackRoom(frame)
    if (this.events !== null && isOpening) {
      this.drop()
      void this.listenToEvents()
      return true
    }
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify(frame))
    return true
  }

  /** Reconnects immediately if a reconnection is scheduled; otherwise checks the connection with a
   * ping. */
  readonly now = (): void => {
    if (this.isStopped) return
    if (this.timer === undefined) {
      if (this.socket?.readyState === WebSocket.OPEN) this.ping()
      return
    }
    clearTimeout(this.timer)
    this.timer = undefined
    this.connect()
  }

  /** Schedules a reconnection, although the server reported an ended sign-in. */
  again(): void {
    if (!this.isStopped) this.lost(false)
  }

  private readonly whenVisible = (): void => {
    if (document.visibilityState === 'visible') this.now()
  }

  /** Tracks the open rooms. Returns whether the frame opens another one. */
  private trackRoom({ type, room_id }: Frame & Record<string, unknown>): boolean {
    const room = String(room_id)
    if (type === 'close') this.rooms.delete(room)
    if (type !== 'open' || this.rooms.has(room)) return false
    this.rooms.add(room)
    return true
  }

  private connect(): void {
    this.since ||= Date.now()
    this.publish({ is: 'connecting', since: this.since })
    if (this.neverOpened >= UPGRADES_TRIED) void this.listenToEvents()
    else this.openSocket()
  }

  private openSocket(): void {
    const url = new URL(this.options.path, location.href)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    this.socket = socket
    let hasOpened = false
    socket.onopen = () => {
      hasOpened = true
      this.neverOpened = 0
      this.isServerThere = false
      this.rooms.clear()
      this.opened('open')
    }
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(String(data))
    }
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return
      if (!hasOpened) this.neverOpened += 1
      this.lost(code === CLOSED_SIGNED_OUT)
    }
  }

  /** Uses `fetch`, because an `EventSource` cannot send the header that the session cookie
   * requires. */
  private async listenToEvents(): Promise<void> {
    const events = new AbortController()
    this.events = events
    const rooms = [...this.rooms]
    try {
      const headers = { 'x-confab': '1', accept: 'text/event-stream' }
      const answer = await fetch(this.pathWith(rooms), { headers, signal: events.signal })
      if (answer.status === 401) return this.lost(true)
      if (!answer.ok || !answer.body) throw new Error('no events')
      if (!this.isServerThere) {
        // The server may have been down until now: try a WebSocket once more.
        this.isServerThere = true
        this.drop()
        return this.openSocket()
      }
      this.opened('events')
      for (const room_id of rooms) this.options.onFrame({ type: 'opened', data: { room_id } })
      await this.readEvents(answer.body, events.signal)
      if (!events.signal.aborted) this.lost(false)
    } catch {
      if (events.signal.aborted) return
      this.isServerThere = false
      this.neverOpened = 0
      this.lost(false)
    }
  }

  private async readEvents(body: ReadableStream<BufferSource>, signal: AbortSignal) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      this.restartSilenceTimer()
      const parts = (rest + value).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) if (line.startsWith('data:')) this.receive(line.slice(5))
    }
  }

  private pathWith(rooms: string[]): string {
    if (rooms.length === 0) return this.options.path
    return `${this.options.path}?${new URLSearchParams(rooms.map((room) => ['room_id', room]))}`
  }

  private opened(is: 'open' | 'events'): void {
    this.failures = 0
    this.since = 0
    this.publish({ is })
    this.restartSilenceTimer()
    this.options.onOpen()
  }

  /** Publishes the state. Requesting the event stream again for another room is no change of
   * state. */
  private publish(state: LiveState): void {
    if (state.is === 'events' && this.publishedState === 'events') return
    this.publishedState = state.is
    this.options.onState(state)
  }

  private receive(text: string): void {
    this.restartSilenceTimer()
    let frame: unknown
    try {
      frame = JSON.parse(text)
    } catch {
      return
    }
    if (typeof frame === 'object' && frame !== null && 'type' in frame) {
      this.options.onFrame(frame as Frame)
    }
  }

  private restartSilenceTimer(): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(() => this.ping(), SILENCE_MS)
  }

  /** Pings the server, or gives up a silent event stream at once: it cannot be pinged, and the
   * server sends comments at shorter intervals. */
  private ping(): void {
    clearTimeout(this.silence)
    const waitMs = this.say({ type: 'ping' }) ? ANSWER_MS : 0
    this.silence = setTimeout(() => this.lost(false), waitMs)
  }

  private lost(isSignedOut: boolean): void {
    this.drop()
    if (this.isStopped) return
    if (isSignedOut) {
      this.publish({ is: 'signed-out' })
      return
    }
    this.failures += 1
    this.since ||= Date.now()
    this.publish({ is: 'waiting', since: this.since })
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.connect()
    }, backoff(this.failures))
  }

  private drop(): void {
    clearTimeout(this.timer)
    clearTimeout(this.silence)
    this.timer = undefined
    const socket = this.socket
    this.socket = null
    socket?.close()
    this.events?.abort()
    this.events = null
  }
}
