// The customer's session: started once for all tabs, and renewed when the token expires.

import { CallError } from '../../shared/call'
import { randomId } from '../../shared/ids'
import { LocalStore } from '../../shared/outbox_local'
import type { Settings, Signer } from '../contract'
import type { Api } from './api'
import type { Property, Session, StateStore } from './state_store'

/** The page's server did not identify the customer. */
export class IdentityError extends CallError {
  constructor(message: string) {
    super(403, message)
  }
}

export class Sessions {
  private signer: Signer | undefined
  private key: string | undefined

  constructor(
    private readonly api: Api,
    private readonly store: StateStore,
    private readonly settings: () => Settings,
    /** Returns the name of a visitor who did not enter one. */
    private readonly nameOf: (visitorId: string) => string,
  ) {}

  get current(): Session | undefined {
    return this.store.read().session
  }

  /** Whether the app requires an identified customer, and the page has not identified one. */
  get isIdentityMissing(): boolean {
    return this.settings().is_identity_required && !this.signer && this.current?.kind !== 'known'
  }

  get isKnown(): boolean {
    return this.signer !== undefined || this.current?.kind === 'known'
  }

  /** Sets the page's signer. Returns whether the customer may be another one than before. */
  identify(signer: Signer, key: string | undefined): boolean {
    this.signer = signer
    this.key = key
    const { current } = this
    return current?.kind !== 'known' || key === undefined || current.key !== key
  }

  forget(): void {
    this.signer = undefined
    this.key = undefined
    this.store.clear()
  }

  /** Returns the current session, or starts one. */
  async ensure(): Promise<Session> {
    return this.current ?? this.renew(undefined)
  }

  /** Replaces a session that is no longer valid. */
  renew(old: Session | undefined): Promise<Session> {
    return this.store.withLock(async () => {
      const { current } = this
      // Another tab has renewed it already.
      if (current && current.token !== old?.token) return current
      const session = await this.start()
      this.store.change({ session })
      return session
    })
  }

  /** Identifies the customer again, whether or not there is a session. */
  prove(): Promise<Session> {
    const now = Date.now()
    return this.store.withLock(async () => {
      const before = this.current
      const session = await this.becomeKnown()
      // Unsent messages of another customer must not be sent.
      if (before?.userId !== session.userId) this.outbox().deleteBefore(now)
      this.store.change({ session })
      return session
    })
  }

  /** Starts the session again, which opens a new room if the app has one per conversation. */
  startAgain(): Promise<Session> {
    return this.store.withLock(async () => {
      const session = await this.start()
      this.store.change({ session })
      return session
    })
  }

  /** Adds properties of the customer. Without a session they are sent with the first message. */
  async addProperties(properties: Property[]): Promise<void> {
    const known = (this.store.read().properties ?? []).filter(
      (it) => !properties.some(({ key }) => key === it.key),
    )
    this.store.change({ properties: [...known, ...properties] })
    if (this.current) await this.startAgain()
  }

  private start(): Promise<Session> {
    return this.isKnown ? this.becomeKnown() : this.becomeVisitor()
  }

  private async becomeKnown(): Promise<Session> {
    const { signer, key } = this
    if (!signer) throw new IdentityError('')
    const nonce = await this.api.nonce()
    const token = await Promise.resolve(signer(nonce)).catch(() => {
      throw new IdentityError('')
    })
    const { claimsOf } = await import('./claims')
    const { user_id, name } = claimsOf(String(token))
    const asked = { user_id, name, nonce, identity_token: String(token) }
    const begun = await this.api.initiate({ ...asked, user_properties: this.properties })
    const user = await this.api.verify(begun.identity_token)
    const session = { kind: 'known', userId: user.email, token: user.token } as const
    const room = begun.customer_room.room_id
    return { ...session, room, ...(key === undefined ? {} : { key }) }
  }

  private async becomeVisitor(): Promise<Session> {
    const { visitor: known, name } = this.store.read()
    const visitor = known ?? this.newVisitor()
    const nonce = await this.api.nonce()
    const asked = {
      user_id: visitor.id,
      name: name ?? this.nameOf(visitor.id),
      nonce,
      user_properties: this.properties,
      ...(visitor.secret ? { visitor_secret: visitor.secret } : {}),
    }
    const begun = await this.api.initiate(asked).catch((error: unknown) => {
      if (!known || !(error instanceof CallError) || error.status !== 401) throw error
      // The visitor's secret is no longer valid: start as a new visitor.
      this.store.change({ visitor: undefined })
      return null
    })
    if (begun === null) return this.becomeVisitor()
    if (begun.visitor_secret) {
      this.store.change({ visitor: { ...visitor, secret: begun.visitor_secret } })
    }
    const user = await this.api.verify(begun.identity_token)
    const room = begun.customer_room.room_id
    return { kind: 'visitor', userId: user.email, token: user.token, room }
  }

  private outbox(): LocalStore {
    return new LocalStore(this.store.texts, this.store.outboxPrefix)
  }

  private newVisitor(): { id: string; secret?: string } {
    const visitor = { id: randomId() }
    this.store.change({ visitor })
    return visitor
  }

  private get properties(): Property[] {
    return this.store.read().properties ?? []
  }
}
