// The live connection of a tab: a WebSocket, or server-sent events where a proxy lets no WebSocket
// through. What comes in is a hint; the store is the truth, and whoever listens reads again what it
// shows after `onOpen`.

import { backoff } from './backoff'

export interface Frame {
  type: string
  data?: unknown
}

/** How the connection is. `events` is as good as `open` for listening; nothing can be said by it. */
export type LiveState =
  | { is: 'connecting' }
  | { is: 'open' }
  | { is: 'events' }
  | { is: 'waiting'; failures: number; since: number }
  | { is: 'signed-out' }

export interface LiveOptions {
  /** Where to connect to, below this page's own host. */
  path: string
  onFrame: (frame: Frame) => void
  /** A new connection stands: what was shown may be old. */
  onOpen: () => void
  onState: (state: LiveState) => void
}

/** The server ends a connection with this when the sign-in ended. */
const CLOSED_SIGNED_OUT = 1008
/** So many sockets that never opened are a proxy that does not pass them. */
const UPGRADES_TRIED = 2
/** Longer than this without a frame (the server pings) and the connection is dead. */
const SILENCE_MS = 75_000

export class Live {
  private socket: WebSocket | null = null
  private events: AbortController | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private neverOpened = 0
  private since = 0
  private isStopped = false

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

  /** Says something; false if it cannot be said now. */
  say(frame: Frame & Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify(frame))
    return true
  }

  /** Tries at once instead of waiting further. */
  readonly now = (): void => {
    if (this.timer === undefined || this.isStopped) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.connect()
  }

  private readonly whenVisible = (): void => {
    if (document.visibilityState === 'visible') this.now()
  }

  private connect(): void {
    this.options.onState({ is: 'connecting' })
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
      this.opened('open')
    }
    socket.onmessage = ({ data }) => this.heard(String(data))
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return
      if (!hasOpened) this.neverOpened += 1
      this.lost(code === CLOSED_SIGNED_OUT)
    }
  }

  /** By `fetch`, because an `EventSource` cannot send the header that makes the cookie count. */
  private async listenToEvents(): Promise<void> {
    const events = new AbortController()
    this.events = events
    try {
      const headers = { 'x-confab': '1', accept: 'text/event-stream' }
      const answer = await fetch(this.options.path, { headers, signal: events.signal })
      if (answer.status === 401) return this.lost(true)
      if (!answer.ok || !answer.body) return this.lost(false)
      this.opened('events')
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        const parts = (rest + value).split('\n')
        rest = parts.pop() ?? ''
        for (const line of parts) if (line.startsWith('data:')) this.heard(line.slice(5))
      }
      this.lost(false)
    } catch {
      if (!events.signal.aborted) this.lost(false)
    }
  }

  private opened(is: 'open' | 'events'): void {
    this.failures = 0
    this.since = 0
    this.options.onState({ is })
    this.listenOn()
    this.options.onOpen()
  }

  private heard(text: string): void {
    this.listenOn()
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

  private listenOn(): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(() => this.lost(false), SILENCE_MS)
  }

  private lost(isSignedOut: boolean): void {
    this.drop()
    if (this.isStopped) return
    if (isSignedOut) {
      this.options.onState({ is: 'signed-out' })
      return
    }
    this.failures += 1
    this.since ||= Date.now()
    this.options.onState({ is: 'waiting', failures: this.failures, since: this.since })
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
