// A proxy before the real server that drops connections as a test requests, and web pages of shops
// on another origin.
import {
  request as ask,
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Server } from './server'

export class Front {
  /** Requests with a matching path are dropped, either before they reach the server or before its
   * response. */
  trouble: { path: RegExp; after: 'before' | 'commit' } | null = null
  /** Whether WebSockets are passed. Some real proxies block them. */
  passesSockets = true
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly http: HttpServer,
    readonly server: Server,
  ) {}

  static async start(server: Server): Promise<Front> {
    const http = createServer()
    const front = new Front(http, server)
    http.on('request', (request, response) => front.pass(request, response))
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

  private pass(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {})
    const { trouble } = this
    const isHit = trouble?.path.test(request.url ?? '') && request.method !== 'OPTIONS'
    if (isHit && trouble?.after === 'before') return void request.socket.destroy()
    const { hostname, port } = new URL(this.server.url)
    const options = { hostname, port, path: request.url, method: request.method }
    const asked = ask({ ...options, headers: request.headers }, (answer) => {
      if (isHit) return void request.socket.destroy()
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      // If the server's stream breaks, break the client's.
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    asked.on('error', () => request.socket.destroy())
    request.pipe(asked)
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (!this.passesSockets) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
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

/** A shop: pages on another origin than the chat server. */
export class Shop {
  /** Pages and their content security policies, by path. */
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
