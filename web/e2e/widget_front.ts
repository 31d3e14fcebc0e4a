// STAND-IN, goes away when the server serves the widget itself and has its calls (S29, S30): a front
// of the real server that serves the built widget, answers these two calls with what the tests want,
// and passes everything else on. And pages of shops, on an origin of their own.
import { readFile } from 'node:fs/promises'
import {
  request as ask,
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { extname, join } from 'node:path'
import type { Server } from './server'

const DIST = process.env.CONFAB_WIDGET_DIST ?? join(import.meta.dirname, '../dist/widget')
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const CHAT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; media-src 'self' https:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

export const SETTINGS = {
  brand: 'service',
  version: '1.0.0',
  theme: { colour: '#0b6bcb', position: 'end', scheme: 'auto' },
  languages: ['en', 'id'],
  texts: {},
  fields: [] as object[],
  upload: { max_bytes: 20_971_520, types: [] as string[] },
  is_identity_required: false,
  is_anybody_there: true,
  is_sessional: false,
}

export class Front {
  /** What the settings call says beside the app. */
  settings: typeof SETTINGS = { ...SETTINGS }
  /** Requests of `path`s that match are answered so, or cut off without an answer. */
  trouble: { path: RegExp; after: 'before' | 'commit' } | null = null
  requests: string[] = []
  private readonly sockets = new Set<Socket>()
  private readonly rooms = new Map<string, string>()

  private constructor(
    private readonly http: HttpServer,
    readonly server: Server,
  ) {}

  static async start(server: Server): Promise<Front> {
    const http = createServer()
    const front = new Front(http, server)
    http.on('request', (request, response) => void front.answer(request, response))
    http.on('upgrade', (request, socket, head) => front.upgrade(request, socket as Socket, head))
    http.on('connection', (socket) => {
      front.sockets.add(socket)
      socket.on('close', () => front.sockets.delete(socket))
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`
  }

  stop(): void {
    this.http.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://front')
    this.requests.push(`${request.method} ${pathname}`)
    response.on('error', () => {})
    if (pathname === '/widget.js') return this.file(response, 'widget.js')
    if (pathname.startsWith('/widget/assets/')) return this.file(response, pathname.slice(8))
    if (pathname === '/widget/demo') return this.file(response, 'demo.html')
    if (pathname.startsWith('/chat/')) {
      response.setHeader('content-security-policy', CHAT_POLICY)
      return this.file(response, 'chat.html')
    }
    if (pathname === `/api/v2/widget/${this.server.appId}`) {
      const app = { code: this.server.appId, name: 'Corner Shop' }
      return this.json(response, 200, { data: { app, ...this.settings } })
    }
    if (pathname.startsWith('/api/v2/widget/') && pathname !== '/api/v2/widget/chat') {
      return this.json(response, 404, { errors: { message: 'There is no such app.' } })
    }
    if (pathname === '/api/v2/widget/chat') return this.chat(request, response)
    this.pass(request, response)
  }

  private async file(response: ServerResponse, path: string): Promise<void> {
    const bytes = await readFile(join(DIST, path)).catch(() => null)
    response.setHeader('access-control-allow-origin', '*')
    if (bytes === null) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? '' }).end(bytes)
  }

  private json(response: ServerResponse, status: number, body: object): void {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  /** A room for whoever's token it is. */
  private async chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'OPTIONS') return this.json(response, 200, {})
    const headers = { 'service-sdk-app-id': this.server.appId }
    const token = String(request.headers['service-sdk-token'])
    const profile = await fetch(`${this.server.url}/api/v2/sdk/my_profile`, {
      headers: { ...headers, 'service-sdk-token': token },
    })
    const user = (await profile.json()).results?.user
    if (!user) return this.json(response, 403, { errors: { message: 'Unauthorized' } })
    const room_id = this.rooms.get(user.email) ?? (await this.server.roomOf(user.email))
    this.rooms.set(user.email, room_id)
    this.json(response, 200, { data: { room_id, is_sessional: false, is_resolved: false } })
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const { trouble } = this
    const isHit = trouble?.path.test(request.url ?? '') && request.method !== 'OPTIONS'
    if (isHit && trouble?.after === 'before') return void request.socket.destroy()
    const { hostname, port } = new URL(this.server.url)
    const options = { hostname, port, path: request.url, method: request.method }
    const asked = ask({ ...options, headers: request.headers }, (answer) => {
      if (isHit) return void request.socket.destroy()
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => request.socket.destroy())
    request.pipe(asked)
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { hostname, port } = new URL(this.server.url)
    const server = connect(Number(port), hostname, () => {
      const lines = [`GET ${request.url} HTTP/1.1`]
      for (let at = 0; at < request.rawHeaders.length; at += 2) {
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
      }
      server.write(`${lines.join('\r\n')}\r\n\r\n`)
      server.write(head)
      server.pipe(socket).pipe(server)
    })
    const end = () => {
      socket.destroy()
      server.destroy()
    }
    for (const side of [socket, server]) side.on('error', end).on('close', end)
  }
}

/** A shop: pages on another origin than the chat server's. */
export class Shop {
  /** By path: the page and its policy. */
  readonly pages = new Map<string, { body: string; policy?: string }>()

  private constructor(private readonly http: HttpServer) {}

  static async start(): Promise<Shop> {
    const http = createServer()
    const shop = new Shop(http)
    http.on('request', (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://shop')
      const page = shop.pages.get(pathname)
      if (!page) return response.writeHead(404).end()
      const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8'
      response.setHeader('content-type', pathname.endsWith('.css') ? 'text/css' : type)
      if (page.policy) response.setHeader('content-security-policy', page.policy)
      response.end(page.body)
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return shop
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`
  }

  stop(): void {
    this.http.closeAllConnections()
    this.http.close()
  }
}
