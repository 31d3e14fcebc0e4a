// The messages of one room. Pages, live frames, responses to posts and unsent items merge into one
// list: the unique id identifies a message, and its id determines its position.

/** The fields of a message that a thread reads. */
export interface ThreadMessage {
  id_str: string
  unique_temp_id: string
  is_deleted: boolean
}

/** A message that the server has not confirmed, so that it has no id. */
export interface Pending {
  unique_temp_id: string
}

export interface Entry<M extends ThreadMessage, P extends Pending> {
  key: string
  message?: M
  pending?: P
}

/** Compares two ids as numbers. They are strings because they exceed the safe integers. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Immutable: each change returns a new thread. */
export class Thread<M extends ThreadMessage, P extends Pending> {
  private constructor(
    private readonly messages: ReadonlyMap<string, M>,
    private readonly waiting: readonly P[],
    /** Whether the first message of the room is loaded. */
    readonly hasOldest: boolean,
  ) {}

  static empty<M extends ThreadMessage, P extends Pending>(): Thread<M, P> {
    return new Thread<M, P>(new Map(), [], false)
  }

  /** Adds messages in any order; a newer version of a message replaces the older one. A deleted
   * message stays deleted, even if a page loaded earlier still has its text. */
  merge(found: readonly M[], hasOldest = this.hasOldest): Thread<M, P> {
    const messages = new Map(this.messages)
    for (const message of found) {
      const existing = messages.get(message.unique_temp_id)
      if (existing?.is_deleted && !message.is_deleted) continue
      messages.set(message.unique_temp_id, message)
    }
    return new Thread(messages, this.waiting, hasOldest)
  }

  /** Replaces the unsent items, which are in the order in which they were written. */
  withPending(waiting: readonly P[]): Thread<M, P> {
    return new Thread(this.messages, waiting, this.hasOldest)
  }

  /** Replaces messages by what `trace` returns, or removes them if it returns null. */
  delete(uniqueIds: readonly string[], trace: (message: M) => M | null): Thread<M, P> {
    const messages = new Map(this.messages)
    for (const id of uniqueIds) {
      const existing = messages.get(id)
      if (existing === undefined) continue
      const left = trace(existing)
      if (left === null) messages.delete(id)
      else messages.set(id, left)
    }
    return new Thread(messages, this.waiting, this.hasOldest)
  }

  /** Returns the messages, oldest first, then the unsent items that the server does not have
   * yet. */
  entries(): Entry<M, P>[] {
    const sent = [...this.messages.values()].sort((a, b) => compareIds(a.id_str, b.id_str))
    const waiting = this.waiting.filter((it) => !this.messages.has(it.unique_temp_id))
    return [
      ...sent.map((message) => ({ key: message.unique_temp_id, message })),
      ...waiting.map((pending) => ({ key: pending.unique_temp_id, pending })),
    ]
  }

  get(uniqueId: string): M | undefined {
    return this.messages.get(uniqueId)
  }

  /** Id of the newest message. */
  get newestId(): string | undefined {
    return this.edge((a, b) => compareIds(a, b) > 0)
  }

  get oldestId(): string | undefined {
    return this.edge((a, b) => compareIds(a, b) < 0)
  }

  private edge(isFurther: (a: string, b: string) => boolean): string | undefined {
    let edge: string | undefined
    for (const { id_str } of this.messages.values()) {
      if (edge === undefined || isFurther(id_str, edge)) edge = id_str
    }
    return edge
  }
}
