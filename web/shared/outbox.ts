// What was written and is not on the server yet. Everything is kept on this device before it is
// sent, is sent in order within its room, and carries the same unique id on every try: the server
// takes it once, however often it arrives.

import { backoff } from './backoff'
import { CallError } from './call'

export interface OutboxItem {
  unique_temp_id: string
  /** Who wrote it: nobody else's sign-in sends it. */
  owner: string
  room_id: string
  /** Rises with each item of this device. */
  number: number
  written_at: number
  body: Record<string, unknown>
  /** Why the server does not take it; it waits for a person then. */
  refused?: string
}

/** Where items are kept. */
export interface OutboxStore {
  all(owner: string): Promise<OutboxItem[]>
  /** Resolves when it outlives the page. */
  put(item: OutboxItem): Promise<void>
  /** What is still there and will wait outlives a loss of power, too, where that takes longer. */
  settle?(uniqueId: string): Promise<void>
  remove(uniqueId: string): Promise<void>
}

export interface OutboxOptions {
  owner: string
  store: OutboxStore
  /** Brings one item to the server. */
  send: (item: OutboxItem) => Promise<void>
  /** Something changed in it, here or in another tab. */
  onChange: (items: readonly OutboxItem[]) => void
  /** Something was changed in the store by this tab. */
  onWrite?: () => void
}

export class Outbox {
  private items: OutboxItem[] = []
  private readonly sending = new Set<string>()
  private readonly failures = new Map<string, number>()
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()
  private lastNumber = 0
  private isStopped = false

  constructor(private readonly options: OutboxOptions) {}

  /** Takes up what was left from before. */
  async start(): Promise<void> {
    await this.reload()
    for (const room of this.rooms()) void this.sendRoom(room)
  }

  stop(): void {
    this.isStopped = true
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
  }

  /** Resolves when it is kept on this device. */
  async add(room_id: string, unique_temp_id: string, body: Record<string, unknown>): Promise<void> {
    // By the clock, so that tabs agree; rising, so that a clock that is set back changes nothing.
    const number = Math.max(this.lastNumber + 1, Date.now())
    this.lastNumber = number
    const { owner } = this.options
    const item = { unique_temp_id, owner, room_id, number, written_at: Date.now(), body }
    await this.options.store.put(item)
    this.options.onWrite?.()
    if (!this.items.some((it) => it.unique_temp_id === unique_temp_id)) {
      this.changed([...this.items, item])
    }
    void this.sendRoom(room_id)
  }

  /** Tries again what the server refused. */
  async retry(uniqueId: string): Promise<void> {
    const item = this.items.find((it) => it.unique_temp_id === uniqueId)
    if (!item) return
    const { refused: _, ...again } = item
    await this.replace(again)
    void this.sendRoom(item.room_id)
  }

  /** Removes an item that is sent, or not wanted. */
  async discard(uniqueId: string): Promise<void> {
    await this.options.store.remove(uniqueId)
    this.options.onWrite?.()
    this.changed(this.items.filter((it) => it.unique_temp_id !== uniqueId))
  }

  /** Tries at once whatever waits: the network is back. */
  now(): void {
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
    for (const room of this.rooms()) void this.sendRoom(room)
  }

  /** Reads the store again: another tab may have changed it. */
  async reload(): Promise<void> {
    const items = await this.options.store.all(this.options.owner)
    this.changed(items.sort((a, b) => a.number - b.number))
  }

  /** The item of a room that is sent next. */
  next(room: string): OutboxItem | undefined {
    return this.items.find((it) => it.room_id === room && it.refused === undefined)
  }

  /** One item after the other; the first that does not get through holds the others of its room. */
  private async sendRoom(room: string): Promise<void> {
    if (this.sending.has(room) || this.timers.has(room) || this.isStopped) return
    this.sending.add(room)
    try {
      await exclusively(`confab-outbox-${this.options.owner}-${room}`, () => this.drain(room))
    } finally {
      this.sending.delete(room)
    }
    // What was added while the lock was released found the room still busy.
    if (this.next(room)) void this.sendRoom(room)
  }

  private async drain(room: string): Promise<void> {
    // Another tab may have sent some meanwhile.
    await this.reload()
    for (;;) {
      const next = this.next(room)
      if (!next || this.isStopped) return
      try {
        await this.options.send(next)
      } catch (error) {
        if (error instanceof CallError && !error.isPassing) {
          await this.replace({ ...next, refused: error.details[0] ?? error.message })
          continue
        }
        this.later(room, error instanceof CallError ? error.retryAfterMs : null)
        await this.options.store.settle?.(next.unique_temp_id)
        return
      }
      this.failures.delete(room)
      await this.discard(next.unique_temp_id)
    }
  }

  private later(room: string, askedMs: number | null): void {
    const failures = (this.failures.get(room) ?? 0) + 1
    this.failures.set(room, failures)
    const timer = setTimeout(() => {
      this.timers.delete(room)
      void this.sendRoom(room)
    }, askedMs ?? backoff(failures))
    this.timers.set(room, timer)
  }

  private rooms(): Set<string> {
    return new Set(this.items.map((it) => it.room_id))
  }

  private async replace(item: OutboxItem): Promise<void> {
    await this.options.store.put(item)
    this.options.onWrite?.()
    this.changed(this.items.map((it) => (it.unique_temp_id === item.unique_temp_id ? item : it)))
  }

  private changed(items: OutboxItem[]): void {
    this.items = items
    this.lastNumber = Math.max(this.lastNumber, ...items.map((it) => it.number))
    this.options.onChange(items)
  }
}

/** In one tab at a time, where the browser can tell. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request(name, work) : work()
}
