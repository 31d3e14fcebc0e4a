// The state of a customer's conversation, shared by all parts of the widget. Live frames may get
// lost: pages of the server complete them. Unsent messages are stored until the server confirms
// them.

import { computed, type Signal, signal } from '@preact/signals'
import { CallError } from '../../shared/call'
import { randomId } from '../../shared/ids'
import { Outbox, type OutboxItem } from '../../shared/outbox'
import { LocalStore } from '../../shared/outbox_local'
import { record, text } from '../../shared/payload'
import { Realtime, type RealtimeFrame, type RealtimeState } from '../../shared/realtime'
import { compareIds, Thread } from '../../shared/thread'
import type { EventName, Language, Settings, Signer } from '../contract'
import { loadWords, translate, type Word } from '../words'
import { Api, type Comment, type Draft, isTokenRefused, PAGE } from './api'
import { systemEvent } from './events'
import { laterId, Receipts } from './receipts'
import { Sessions } from './session'
import { type Property, type Session, StateStore } from './state_store'
import { Typing } from './typing'

export type IdentityProblem = 'identityNeeded' | 'identityFailed'
/** Time without a connection after which the widget shows that it is offline. */
const AWAY_MS = 4000
const COME_AGAIN_MS = 3000

export interface ChatOptions {
  /** Base URL of the chat server, with a trailing slash. */
  base: string
  settings: Settings
  language: Language
  emit: (name: EventName, detail?: unknown) => void
}

export class Chat {
  readonly settings: Signal<Settings>
  readonly language: Signal<Language>
  readonly store: StateStore
  readonly isOpen = signal(false)
  readonly session = signal<Session | undefined>(undefined)
  readonly thread = signal(Thread.empty<Comment, OutboxItem>())
  /** Whether the newest messages were loaded since the session began. */
  readonly isLoaded = signal(false)
  readonly isOffline = signal(false)
  readonly problem = signal<IdentityProblem | undefined>(undefined)
  readonly hasAnswered = signal(false)
  readonly isSilent = signal(false)
  /** The newest message of others, announced to screen readers. */
  readonly announced = signal<Comment | undefined>(undefined)
  readonly entries = computed(() => this.thread.value.entries())
  readonly unread = computed(() => this.countUnread())
  readonly isResolved = computed(() => this.findEnd())
  readonly typing = new Typing((is_typing) => {
    this.realtime?.send({ type: 'typing', room_id: this.session.value?.room, is_typing })
  })
  /** Last message that others received and read, according to live frames. */
  private readonly marks = signal({ delivered: '0', read: '0' })
  private readonly seen = signal('0')
  private readonly api: Api
  private readonly sessions: Sessions
  private readonly receipts = new Receipts(async (upTo) => {
    const session = this.session.value
    if (session) await this.api.updateStatus(session.token, session.room, upTo)
  })
  /** Called for a new message that may be unseen. Set once the part that plays the sound is
   * loaded. */
  onUnseen: (id: string, isSeen: () => boolean) => void = () => {}
  private outbox: Outbox | undefined
  /** The running identification by the page's server. */
  private proving: Promise<Session> | undefined
  private realtime: Realtime | undefined
  private goingAway: ReturnType<typeof setTimeout> | undefined
  /** Id of the last message before a possible gap. Live messages advance it only while there is no
   * gap. */
  private upTo: string | undefined
  private hasGap = true
  private isLive = false

  constructor(private readonly options: ChatOptions) {
    const { base, settings } = options
    this.settings = signal(settings)
    this.language = signal(options.language)
    this.store = new StateStore(settings.app.code)
    this.api = new Api(base, settings.app.code, settings.brand)
    this.sessions = new Sessions(
      this.api,
      this.store,
      () => this.settings.value,
      (id) => this.translate('visitor', { number: id.slice(0, 4) }),
    )
  }

  start(): void {
    this.applyStored()
    addEventListener('storage', ({ key }) => {
      if (key?.startsWith(this.store.outboxPrefix)) void this.outbox?.reload()
      else if (key === this.store.key || key === null) this.applyStored()
    })
    addEventListener('online', () => {
      this.isOffline.value &&= !this.isLive
      this.outbox?.now()
    })
    addEventListener('offline', () => {
      this.isOffline.value = true
    })
    document.addEventListener('visibilitychange', () => this.markSeen())
    this.openOutbox()
    this.isOpen.value = this.store.wasOpen
  }

  translate(word: Word, values?: Record<string, string | number>): string {
    return translate(this.language.value, word, values)
  }

  /** Returns a text chosen by the app, or the widget's own. */
  appText(name: 'title' | 'welcome' | 'away'): string {
    const { texts, app } = this.settings.value
    return (
      texts[this.language.value]?.[name] || (name === 'title' ? app.name : this.translate(name))
    )
  }

  open(isOpen: boolean): void {
    if (this.isOpen.value === isOpen) return
    this.isOpen.value = isOpen
    this.store.wasOpen = isOpen
    this.options.emit(isOpen ? 'open' : 'close')
    this.typing.stopped()
    this.markSeen()
    if (isOpen) void this.refreshSettings()
  }

  async setLanguage(language: Language): Promise<void> {
    await loadWords(language)
    this.language.value = language
    this.store.change({ language })
  }

  setSilent(isSilent: boolean): void {
    this.isSilent.value = isSilent
    this.store.change({ isSilent })
  }

  /** Stores the answers of the form shown before the first message. */
  saveAnswers(name: string | undefined, properties: Property[]): void {
    this.store.change({ hasAnswered: true, name, properties })
    this.hasAnswered.value = true
  }

  /** Whether the form before the first message is shown. */
  get hasForm(): boolean {
    const hasFields = this.settings.value.fields.length > 0
    return hasFields && !this.hasAnswered.value && !this.session.value && !this.sessions.isKnown
  }

  post(draft: Draft): void {
    this.typing.stopped()
    // Order is kept only within a room, so follow messages that wait for the first room.
    const room = this.outbox?.next('') ? '' : (this.session.value?.room ?? '')
    void this.outbox?.add(room, randomId(), { ...draft })
  }

  retry(uniqueId: string): void {
    void this.outbox?.retry(uniqueId)
  }

  discard(uniqueId: string): void {
    void this.outbox?.discard(uniqueId)
  }

  async loadOlder(): Promise<void> {
    const { session, thread } = this
    const oldest = thread.value.oldestId
    if (!session.value || !oldest || thread.value.hasOldest) return
    const { token, room } = session.value
    const found = await this.api.load(token, room, { id: oldest, isAfter: false })
    if (room === session.value.room) this.merge(found, found.length < PAGE)
  }

  async startAgain(): Promise<void> {
    this.connect(await this.sessions.startAgain())
  }

  async identify(signer: Signer, key: string | undefined): Promise<void> {
    if (this.sessions.identify(signer, key)) await this.prove()
    else this.openOutbox()
  }

  /** Identifies the customer by the page's server. Nothing is shown until that succeeds. */
  async prove(): Promise<void> {
    this.problem.value = undefined
    this.disconnect()
    // New messages belong to the new identity. Older ones wait until their owner is known.
    this.openOutbox(false)
    this.proving = this.sessions.prove()
    try {
      this.connect(await this.proving)
      this.openOutbox()
    } catch {
      this.problem.value = 'identityFailed'
    }
  }

  forget(): void {
    this.sessions.forget()
    this.store.wasOpen = false
    this.open(false)
    this.disconnect()
    this.openOutbox()
    this.applyStored()
  }

  async addProperties(properties: Property[]): Promise<void> {
    await this.sessions.addProperties(properties)
  }

  /** Returns URL and headers for uploads. Starts a session if there is none. */
  async uploadAddress(): Promise<{ url: string; headers: Record<string, string> }> {
    const { token } = await this.ensure()
    return { url: `${this.options.base}api/v2/sdk/upload`, headers: this.api.headers(token) }
  }

  isOwn(comment: Comment): boolean {
    return comment.email === this.session.value?.userId
  }

  /** Returns the delivery status, according to the message itself and to later live frames. */
  statusOf(comment: Comment): 'sent' | 'delivered' | 'read' {
    const { read, delivered } = this.marks.value
    const isUpTo = (mark: string) => compareIds(comment.id_str, mark) <= 0
    if (comment.status === 'read' || isUpTo(read)) return 'read'
    return comment.status === 'delivered' || isUpTo(delivered) ? 'delivered' : 'sent'
  }

  /** Applies the stored state, which another tab may have changed. */
  private applyStored(): void {
    const stored = this.store.read()
    this.hasAnswered.value = stored.hasAnswered ?? false
    this.isSilent.value = stored.isSilent ?? false
    this.seen.value = stored.seen ?? '0'
    const { language } = stored
    if (language && language !== this.language.value) {
      void loadWords(language).then(() => {
        this.language.value = language
      })
    }
    const { session } = stored
    if (!session && this.session.value) this.disconnect()
    const known = this.session.value
    if (session && (session.token !== known?.token || session.room !== known.room)) {
      this.connect(session)
    }
    this.problem.value = this.sessions.isIdentityMissing ? 'identityNeeded' : undefined
  }

  private openOutbox(isTakingUp = true): void {
    this.outbox?.stop()
    const owner = this.sessions.isKnown ? 'known' : 'visitor'
    const store = new LocalStore(this.store.texts, this.store.outboxPrefix)
    const onChange = (items: readonly OutboxItem[]) => {
      this.thread.value = this.thread.value.withPending(items)
    }
    this.outbox = new Outbox({ owner, store, onChange, send: (item) => this.send(item) })
    if (isTakingUp) void this.outbox.start()
  }

  private async send({ room_id, unique_temp_id, body }: OutboxItem): Promise<void> {
    const session = await this.ensure()
    const room = room_id || session.room
    try {
      this.merge([await this.api.post(session.token, room, unique_temp_id, body)])
    } catch (error) {
      const isGone = error instanceof CallError && error.status === 404
      if (!isTokenRefused(error) && !isGone) throw error
      const renewed = await this.sessions.renew(session)
      if (isGone && renewed.room === room) throw error
      this.connect(renewed)
      throw new CallError(0, '')
    }
  }

  /** Returns the session, starting one if there is none, and connects it. */
  private async ensure(): Promise<Session> {
    await this.proving
    const session = await this.sessions.ensure()
    const known = this.session.value
    if (session.token !== known?.token || session.room !== known.room) this.connect(session)
    return session
  }

  private connect(session: Session): void {
    const isSameRoom = this.session.value?.room === session.room
    this.realtime?.stop()
    this.session.value = session
    this.problem.value = undefined
    if (!isSameRoom) this.clear()
    this.realtime = new Realtime({
      base: this.options.base,
      headers: this.api.headers(session.token),
      ticket: () => this.api.ticket(session.token),
      onFrame: (frame) => this.applyFrame(frame),
      onOpen: () => void this.catchUp(session),
      onState: (state) => this.changed(state),
      onRefused: () => {
        void this.sessions.renew(session).then(
          (renewed) => this.connect(renewed),
          () => setTimeout(() => this.applyStored(), COME_AGAIN_MS),
        )
      },
    })
    this.realtime.start()
  }

  private disconnect(): void {
    this.realtime?.stop()
    this.realtime = undefined
    this.session.value = undefined
    this.clear()
  }

  private clear(): void {
    this.thread.value = Thread.empty()
    void this.outbox?.reload()
    this.marks.value = { delivered: '0', read: '0' }
    this.isLoaded.value = false
    this.upTo = undefined
    this.hasGap = true
    this.receipts.reset()
    this.typing.show('')
    this.announced.value = undefined
  }

  /** Loads all messages after the last known one, or the newest page. */
  private async catchUp(session: Session): Promise<void> {
    try {
      for (let isMore = true; isMore; ) {
        const from = this.upTo === undefined ? undefined : { id: this.upTo, isAfter: true }
        const found = await this.api.load(session.token, session.room, from)
        if (session !== this.session.value) return
        const isWhole = found.length < PAGE
        this.merge(found, from ? undefined : isWhole)
        this.upTo = found.reduce((newest, it) => laterId(newest, it.id_str), this.upTo ?? '0')
        isMore = from !== undefined && !isWhole
      }
      this.upTo = this.thread.value.newestId ?? this.upTo
      this.hasGap = false
      this.isLoaded.value = true
      this.markSeen()
    } catch {
      // The live connection detects an invalid token; other errors are temporary.
      setTimeout(() => {
        if (session === this.session.value) void this.catchUp(session)
      }, COME_AGAIN_MS)
    }
  }

  private applyFrame({ type, data }: RealtimeFrame): void {
    const about = record(data)
    const room = text(about.room_id_str) || text(about.room_id)
    if (type === 'resync') {
      const { value } = this.session
      this.clear()
      if (value) void this.catchUp(value)
    }
    if (room !== this.session.value?.room) return
    const isOwn = about.user_id === this.session.value.userId
    if (type === 'message') this.arrived(data as Comment)
    else if (type === 'message_updated') this.merge([data as Comment])
    else if (type === 'messages_deleted') this.deleted(about)
    else if (type === 'typing' && !isOwn) {
      this.typing.show(about.is_typing === true ? text(about.username) : '')
    } else if ((type === 'read' || type === 'delivered') && !isOwn) {
      const mark = laterId(this.marks.value[type], text(about.comment_id))
      this.marks.value = { ...this.marks.value, [type]: mark }
    }
  }

  private arrived(comment: Comment): void {
    const isNew = this.thread.value.get(comment.unique_temp_id) === undefined
    this.merge([comment])
    if (!this.hasGap) this.upTo = laterId(this.upTo ?? '0', comment.id_str)
    if (this.isOwn(comment) || comment.type === 'system_event' || !isNew) return
    this.typing.show('')
    this.announced.value = comment
    this.markSeen()
    const { id_str: id, message, type, username } = comment
    this.options.emit('message', { id, type, text: message, from: username })
    this.onUnseen(id, () => compareIds(id, this.store.read().seen ?? '0') <= 0)
  }

  private deleted(about: Record<string, unknown>): void {
    const ids = Array.isArray(about.unique_ids) ? about.unique_ids.map(text) : []
    const isHard = about.is_hard_delete === true
    this.thread.value = this.thread.value.delete(ids, (comment) =>
      isHard ? null : { ...comment, is_deleted: true, message: '', payload: null },
    )
  }

  private merge(found: readonly Comment[], hasOldest?: boolean): void {
    this.thread.value = this.thread.value.merge(found, hasOldest)
  }

  /** Records the newest message as received, and as seen if the panel is visible. */
  private markSeen(): void {
    const newest = this.newestOfOthers()
    if (newest === undefined) return
    const isSeen = this.isOpen.value && !document.hidden
    this.receipts.note(newest, isSeen)
    if (!isSeen || compareIds(newest, this.seen.value) <= 0) return
    this.seen.value = newest
    this.store.change({ seen: newest })
  }

  private newestOfOthers(): string | undefined {
    return this.entries.value.findLast(({ message }) => message && this.isOthers(message))?.message
      ?.id_str
  }

  private isOthers(comment: Comment): boolean {
    return comment.type !== 'system_event' && !comment.is_deleted && !this.isOwn(comment)
  }

  private countUnread(): number {
    const { value: seen } = this.seen
    return this.entries.value.filter(
      ({ message }) => message && this.isOthers(message) && compareIds(message.id_str, seen) > 0,
    ).length
  }

  /** Whether the conversation has ended: nothing followed its end except for a rating. */
  private findEnd(): boolean {
    for (const { message } of [...this.entries.value].reverse()) {
      const is = message && systemEvent(message).is
      if (is === 'rated') continue
      if (message?.type !== 'system_event') return false
      if (is === 'resolved' || is === 'reopened') return is === 'resolved'
    }
    return false
  }

  private changed(state: RealtimeState): void {
    clearTimeout(this.goingAway)
    this.isLive = state === 'open'
    if (!this.isLive) this.hasGap = true
    if (this.isLive) {
      this.isOffline.value = false
      this.outbox?.now()
    } else if (!this.isOffline.value) {
      this.goingAway = setTimeout(() => {
        this.isOffline.value = true
      }, AWAY_MS)
    }
  }

  /** Loads the settings again: availability of agents, for example, may have changed. */
  private async refreshSettings(): Promise<void> {
    const code = encodeURIComponent(this.settings.value.app.code)
    const url = `${this.options.base}api/v2/widget/${code}`
    const answer = await fetch(url, { cache: 'no-cache' }).catch(() => null)
    if (answer?.ok) this.settings.value = (await answer.json()).data
  }
}
