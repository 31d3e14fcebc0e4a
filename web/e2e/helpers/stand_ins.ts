// Fake APIs of messaging providers on this machine. Unknown tokens and paths are rejected.
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Answer {
  status: number
  body: unknown
}

/** An HTTP server that passes requests to a handler and responds with JSON. */
class StandIn {
  protected constructor(private readonly server: HttpServer) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  protected static async listen(
    answered: (request: IncomingMessage, body: Record<string, unknown>) => Promise<Answer> | Answer,
  ): Promise<HttpServer> {
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (part) => {
        text += part
      })
      request.on('end', async () => {
        const { status, body } = await answered(request, text === '' ? {} : JSON.parse(text))
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server
  }
}

/** Telegram's Bot API. Bots can get new tokens. */
export class Telegram extends StandIn {
  readonly bots = new Map<string, { id: number; first_name: string; username: string }>()
  readonly sent: { chat_id: unknown; text: unknown }[] = []
  /** URL of a webhook set by another system. */
  hook = ''
  private updates: object[] = []
  private count = 0

  static async start(): Promise<Telegram> {
    let telegram: Telegram | null = null
    const server = await StandIn.listen((request, body) => {
      if (!telegram) throw new Error('not begun')
      return telegram.answer(request.url ?? '', body)
    })
    telegram = new Telegram(server)
    return telegram
  }

  /** Queues a customer's message for the next poll. */
  write(from: number, name: string, text: string): void {
    this.count += 1
    const person = { id: from, first_name: name }
    this.updates.push({
      update_id: this.count,
      message: {
        message_id: this.count,
        date: Math.floor(Date.now() / 1000),
        chat: { ...person, type: 'private' },
        from: { ...person, is_bot: false },
        text,
      },
    })
  }

  private answer(path: string, body: Record<string, unknown>): Answer {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
    const bot = this.bots.get(token ?? '')
    const refused = (code: number, description: string) => ({
      status: code,
      body: { ok: false, error_code: code, description },
    })
    if (!bot) return refused(401, 'Unauthorized')
    const ok = (result: unknown) => ({ status: 200, body: { ok: true, result } })
    switch (method) {
      case 'getMe':
        return ok({ is_bot: true, ...bot })
      case 'getWebhookInfo':
        return ok({ url: this.hook, pending_update_count: 0 })
      case 'deleteWebhook':
        return ok(true)
      case 'getUpdates': {
        const from = Number(body.offset ?? 0)
        return ok(this.updates.filter((it) => (it as { update_id: number }).update_id >= from))
      }
      case 'sendMessage':
        this.sent.push({ chat_id: body.chat_id, text: body.text })
        this.count += 1
        return ok({ message_id: this.count, chat: { id: body.chat_id }, text: body.text })
      case 'sendChatAction':
        return ok(true)
      default:
        return refused(404, 'Not Found: method not found')
    }
  }
}

/** Meta's API with one WhatsApp number, one Messenger page and one Instagram account. */
export class Graph extends StandIn {
  static readonly NUMBER = '106540352242922'
  static readonly BUSINESS = '102290129340398'
  static readonly PAGE = '104839281920384'
  /** The only valid token. */
  token = 'EAAG-first-token-of-the-number-1111'
  quality = 'GREEN'
  /** Approved templates. */
  templates: { name: string; language: string; body: string }[] = []
  /** Accepted messages. */
  readonly sent: Record<string, unknown>[] = []

  static async start(): Promise<Graph> {
    let graph: Graph | null = null
    const server = await StandIn.listen((request, body) => {
      if (!graph) throw new Error('not begun')
      return graph.answer(request, body)
    })
    graph = new Graph(server)
    return graph
  }

  private answer(
    { method, url = '', headers }: IncomingMessage,
    sent: Record<string, unknown>,
  ): Answer {
    const error = (status: number, code: number) => ({
      status,
      body: { error: { message: 'refused', type: 'OAuthException', code } },
    })
    if (url.includes('EAAG')) throw new Error('a token in an address')
    if (headers.authorization !== `Bearer ${this.token}`) return error(401, 190)
    const path = url.split('?')[0]
    if (method === 'GET' && path === `/v25.0/${Graph.NUMBER}`) {
      return {
        status: 200,
        body: {
          id: Graph.NUMBER,
          display_phone_number: '+62 811-1111-111',
          verified_name: 'Shop',
          quality_rating: this.quality,
          status: 'CONNECTED',
        },
      }
    }
    if (path === `/v25.0/${Graph.BUSINESS}/subscribed_apps`) {
      return { status: 200, body: method === 'GET' ? { data: [{}] } : { success: true } }
    }
    if (method === 'GET' && path === '/v25.0/me') {
      const account = { id: '9000', user_id: '17841400000000001', username: 'shop.ig' }
      const page = { id: Graph.PAGE, name: 'Shop page' }
      return { status: 200, body: url.includes('user_id') ? account : page }
    }
    if (path === '/v25.0/me/subscribed_apps' || path === `/v25.0/${Graph.PAGE}/subscribed_apps`) {
      return { status: 200, body: method === 'GET' ? { data: [{}] } : { success: true } }
    }
    if (method === 'GET' && path === `/v25.0/${Graph.BUSINESS}/message_templates`) {
      const data = this.templates.map(({ body, ...it }) => ({
        ...it,
        status: 'APPROVED',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: body }],
      }))
      return { status: 200, body: { data, paging: { cursors: { after: 'x' } } } }
    }
    if (method === 'POST' && path === `/v25.0/${Graph.NUMBER}/messages`) {
      // A read mark for the customer's message is sent to the same path.
      if ('status' in sent) return { status: 200, body: { success: true } }
      this.sent.push(sent)
      const id = `wamid.out.${this.sent.length}`
      const contacts = [{ input: sent.to, wa_id: sent.to }]
      return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages: [{ id }] } }
    }
    return error(400, 100)
  }
}
