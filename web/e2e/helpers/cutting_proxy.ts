// A proxy that can drop responses of committed requests, or block WebSockets.
import { createServer, type Server as HttpServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

export class CuttingProxy {
  /** Number of responses to posted messages and notes that are still to be dropped. */
  toCut = 0
  cut = 0
  passesSockets = true

  private readonly sockets = new Set<Duplex>()

  private constructor(private readonly server: HttpServer) {}

  static async start(target: string): Promise<CuttingProxy> {
    const { hostname, port } = new URL(target)
    const server = createServer()
    const proxy = new CuttingProxy(server)
    server.on('request', (asked, answer) => {
      const { url = '/', method, headers } = asked
      const passed = request({ hostname, port, path: url, method, headers }, (answered) => {
        if (method === 'POST' && /\/(messages|notes)$/.test(url) && proxy.toCut > 0) {
          proxy.toCut -= 1
          proxy.cut += 1
          // The server responded, so it has committed the message. Drop the response.
          answered.resume()
          answer.destroy()
          return
        }
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(answer)
      })
      passed.on('error', () => answer.destroy())
      answer.on('close', () => passed.destroy())
      asked.pipe(passed)
    })
    server.on('upgrade', ({ url, headers }, socket, head) => {
      if (!proxy.passesSockets) {
        socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
        return
      }
      proxy.sockets.add(socket)
      socket.on('close', () => proxy.sockets.delete(socket))
      const passed = connect(Number(port), hostname, () => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
        passed.write(`GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
        passed.write(head)
        passed.pipe(socket)
        socket.pipe(passed)
      })
      passed.on('error', () => socket.destroy())
      socket.on('error', () => passed.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Closes all open WebSockets. */
  cutSockets(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}
