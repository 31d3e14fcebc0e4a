// Posted messages that the server has not confirmed. Each is stored on this device before it is
// sent. The messages of a room are sent in order, with the same unique id on each attempt, so that
// the server stores each only once.

import { backoff } from './backoff'
import { CallError } from './call'

export interface OutboxItem {
  unique_temp_id: string
  /** The author. Only the author's sign-in sends it. */
  owner: string
  room_id: string
  /** Position among all items of this device. Increasing. */
  number: number
  written_at: number
  body: Record<string, unknown>
  /** The server's reason for the rejection. The item stays until the user retries or discards
   * it. */
  refused?: string
}

export interface OutboxStore {
  all(owner: string): Promise<OutboxItem[]>
  /** Stores an item so that it survives a reload of the page, if the storage can. */
  put(item: OutboxItem): Promise<void>
  /** Flushes an item to disk, so that it survives a power failure. Called for items that failed to
   * be sent. */
  settle?(uniqueId: string): Promise<void>
  remove(uniqueId: string): Promise<void>
}

export interface OutboxOptions {
  owner: string
  store: OutboxStore
  send: (item: OutboxItem) => Promise<void>
  /** Called with all items after a change, including changes of other tabs. */
  onChange: (items: readonly OutboxItem[]) => void
  /** Called after this tab changed the store. */
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

  /** Loads the stored items and starts to send them. */
  async start(): Promise<void> {
    await this.reload()
    for (const room of this.rooms()) void this.sendRoom(room)
  }

  stop(): void {
    this.isStopped = true
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
  }

  /** Stores a new item on this device, then starts to send it. Resolves once it is stored. */
  async add(room_id: string, unique_temp_id: string, body: Record<string, unknown>): Promise<void> {
    // Based on the clock, so that tabs agree; increasing even if the clock is set back.
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

  /** Sends a rejected item again. */
  async retry(uniqueId: string): Promise<void> {
    const item = this.items.find((it) => it.unique_temp_id === uniqueId)
    if (!item) return
    const { refused: _, ...again } = item
    await this.replace(again)
    void this.sendRoom(item.room_id)
  }

  /** Removes an item that was sent or is no longer wanted. */
  async discard(uniqueId: string): Promise<void> {
    await this.options.store.remove(uniqueId)
    this.options.onWrite?.()
    this.changed(this.items.filter((it) => it.unique_temp_id !== uniqueId))
  }

  /** Sends all waiting items immediately, without waiting for their retry delay. */
  now(): void {
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
    for (const room of this.rooms()) void this.sendRoom(room)
  }

  /** Loads the items from the store, which another tab may have changed. */
  async reload(): Promise<void> {
    const items = await this.options.store.all(this.options.owner)
    this.changed(items.sort((a, b) => a.number - b.number))
  }

  /** Returns the next item of a room to send. */
  next(room: string): OutboxItem | undefined {
    return this.items.find((it) => it.room_id === room && it.refused === undefined)
  }

  /** Sends the items of a room one after another. An item that fails temporarily blocks the rest of
   * its room. */
  private async sendRoom(room: string): Promise<void> {
    if (this.sending.has(room) || this.timers.has(room) || this.isStopped) return
    this.sending.add(room)
    try {
      await exclusively(`confab-outbox-${this.options.owner}-${room}`, () => this.drain(room))
    } finally {
      this.sending.delete(room)
    }
    // An item added while the lock was being released found the room still busy.
    if (this.next(room)) void this.sendRoom(room)
  }

  private async drain(room: string): Promise<void> {
    // Another tab may have sent some items.
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

/** Runs `work` in one tab at a time; without a lock in browsers without Web Locks. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request(name, work) : work()
}
