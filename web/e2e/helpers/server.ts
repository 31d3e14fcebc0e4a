// The real server in a temporary folder, with one app and its first admin.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BINARY =
  process.env.CONFAB_BINARY ?? join(import.meta.dirname, '../../../target/debug/confab')

/** The fields of responses that the tests read. */
interface Answers {
  data: { user: { id: number; authentication_token: string; sdk_key: string } }
  results: { comment: { unique_temp_id: string } }
}

export class Server {
  private constructor(
    private process: ChildProcess,
    private readonly folder: string,
    readonly url: string,
    readonly appId: string,
    readonly sdkSecret: string,
    private readonly secretKey: string,
    /** Link that signs the first admin in once. */
    readonly link: string,
    readonly adminPassword: string,
    private readonly flags: string[],
    /** Output of the first start. */
    readonly greeting: string,
  ) {}

  private adminToken = ''

  /** Starts a server. Its data are in a temporary folder, unless the flags name a database. */
  static async start(...flags: string[]): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'confab-e2e-'))
    const port = await freePort()
    const { child, text } = await begin(folder, port, flags)
    const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
    return new Server(
      child,
      folder,
      `http://127.0.0.1:${port}`,
      found(/APP_ID=(\S+)/),
      found(/SDK_SECRET=(\S+)/),
      found(/SECRET_KEY=(\S+)/),
      found(/(http\S+sign-in#\S+)/),
      found(/admin@localhost, password (\S+)/),
      flags,
      text,
    )
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Kills the process with a signal; its data remain. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    const gone = new Promise((resolve) => this.process.once('exit', resolve))
    this.process.kill(signal)
    await gone
  }

  /** Starts another node on the same database, with the same secrets key and files. */
  async beside(): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'confab-e2e-'))
    symlinkSync(join(this.folder, 'files'), join(folder, 'files'))
    const port = await freePort()
    const key = ['--secrets-key-file', join(this.folder, 'secrets.key')]
    const { child } = await begin(folder, port, [...this.flags, ...key])
    return new Server(
      child,
      folder,
      `http://127.0.0.1:${port}`,
      this.appId,
      this.sdkSecret,
      this.secretKey,
      this.link,
      this.adminPassword,
      this.flags,
      this.greeting,
    )
  }

  async startAgain(): Promise<void> {
    const { child } = await begin(this.folder, Number(new URL(this.url).port), this.flags)
    this.process = child
  }

  /** Calls the API with the app's secret key. */
  async call(method: string, path: string, body?: unknown): Promise<Record<string, never>> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        'service-app-id': this.appId,
        'service-secret-key': this.secretKey,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  /** Creates a channel whose customers post by `say`. Replies are sent to the webhook URL. */
  async channel(key: string, webhookUrl?: string): Promise<void> {
    const channel = { name: `Channel ${key}`, identifier_key: key, webhook_url: webhookUrl }
    await this.call('POST', '/api/v2/custom_channels', channel)
  }

  /** Posts a message of a customer. Returns the room's id. */
  async say(key: string, user: string, name: string, message: string, more = {}): Promise<string> {
    const answer = await fetch(`${this.url}/${this.appId}/api/v2/custom_channel/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        identifier_key: key,
        user_id: user,
        name,
        message,
        type: 'text',
        ...more,
      }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`say: ${answer.status} ${text}`)
    return JSON.parse(text).data.room_log.room_id
  }

  /** Replies to a customer with the app's credentials. */
  async reply(room: string, message: string, more = {}): Promise<void> {
    const sender = `${this.appId}_admin@bot.example`
    const body = { sender_email: sender, room_id: room, message, type: 'text', ...more }
    await this.call('POST', `/${this.appId}/bot`, body)
  }

  /** Returns all comments of a room, newest first, by the server API. */
  async comments(
    room: string,
  ): Promise<{ id: number; type: string; message: string; payload: unknown }[]> {
    const query = `room_id=${room}&limit=100`
    const pages = []
    for (let page = 1; ; page++) {
      const path = `/api/v2.1/rest/load_comments?${query}&page=${page}`
      const answer = await fetch(this.url + path, { headers: this.sdkHeaders })
      const { comments } = (await answer.json()).results
      if (comments.length === 0) return pages.flat()
      pages.push(comments)
    }
  }

  async resolve(room: string): Promise<void> {
    const path = '/api/v1/admin/service/mark_as_resolved'
    await this.call('POST', path, { room_id: room, notes: '' })
  }

  /** Sets whether each conversation has its own room. */
  async sessional(is_sessional: boolean): Promise<void> {
    await this.call('POST', '/api/v1/admin/service/set_sessional', { is_sessional })
  }

  /** Signs the admin in by the API. */
  private async signIn() {
    const { data } = await this.as('', 'POST', '/api/v1/auth', {
      email: 'admin@localhost',
      password: this.adminPassword,
    })
    return data.user
  }

  async asAdmin(method: string, path: string, body?: object): Promise<Answers> {
    this.adminToken ||= (await this.signIn()).authentication_token
    return this.as(this.adminToken, method, path, body)
  }

  /** Sets the widget's settings; missing ones get their defaults. */
  async widget(settings: object = {}): Promise<void> {
    await this.asAdmin('PUT', '/api/v2/widget_settings', settings)
  }

  /** Sets whether the admin is available for customers. */
  async available(is_available: boolean): Promise<void> {
    await this.asAdmin('POST', '/api/v1/agent/set_availability', { is_available })
  }

  /** Sets what visitors of the widget must prove to open their chat. */
  async visitorProof(visitor_proof: string): Promise<void> {
    await this.asAdmin('POST', '/api/v2/app/config/security', { visitor_proof })
  }

  /** Assigns a customer to the admin. Returns functions for the SDK API on the admin's behalf. */
  async serve(room: string) {
    const { id, sdk_key: token } = await this.signIn()
    const path = '/api/v1/admin/service/assign_agent'
    await this.asAdmin('POST', path, { room_id: room, agent_id: id })
    const sdk = (method: string, path: string, body?: object) =>
      this.as('', method, `/api/v2/sdk/${path}`, body, { 'service-sdk-token': token })
    return {
      token,
      say: async (room: string, comment: string): Promise<string> => {
        const body = { topic_id: room, comment, type: 'text' }
        return (await sdk('POST', 'post_comment', body)).results.comment.unique_temp_id
      },
      correct: (unique_id: string, comment: string) =>
        sdk('POST', 'update_message', { token, unique_id, comment }),
      remove: (id: string) =>
        sdk('DELETE', 'delete_messages', { unique_ids: [id], is_delete_for_everyone: true }),
      read: async (room_id: string) => {
        const [newest] = await this.comments(room_id)
        await sdk('POST', 'update_comment_status', { room_id, last_comment_read_id: newest?.id })
      },
    }
  }

  private async as(
    token: string,
    method: string,
    path: string,
    body?: object,
    more = {},
  ): Promise<Answers> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        'service-sdk-app-id': this.appId,
        'content-type': 'application/json',
        ...(token ? { authorization: token } : {}),
        ...more,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  private get sdkHeaders() {
    return {
      'service-sdk-app-id': this.appId,
      'service-sdk-secret': this.sdkSecret,
      'content-type': 'application/json',
    }
  }

  async agent(name: string, email: string, password: string, type = 'agent'): Promise<void> {
    await this.call('POST', '/api/v2/admin/create_agent', { name, email, password, type })
  }
}

/** A receiver of webhooks for replies to customers. */
export class Receiver {
  readonly bodies: string[] = []

  private constructor(private readonly server: HttpServer) {}

  static async start(): Promise<Receiver> {
    const server = createServer()
    const receiver = new Receiver(server)
    server.on('request', (request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        receiver.bodies.push(body)
        response.end('{}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/answers`
  }

  stop(): void {
    this.server.close()
  }
}

async function begin(folder: string, port: number, more: string[]) {
  const flags = ['--listen', `127.0.0.1:${port}`, '--mqtt-listen', '', '--data', folder, ...more]
  const child = spawn(BINARY, ['serve', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (part: Buffer) => {
      text += part
      if (/listening for HTTP/.test(text)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`confab ended with ${code}: ${text}`)))
  })
  return { child, text }
}

/** Returns an unused port. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
