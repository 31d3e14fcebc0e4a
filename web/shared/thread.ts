// The messages of one room. Pages, live frames, answers of posts and what waits to be sent all merge
// into the same entries: a message is known by its unique id, and stands where its id says.

/** A message as the server shows it to clients, as far as a thread needs to know it. */
export interface ThreadMessage {
  id_str: string
  unique_temp_id: string
  is_deleted: boolean
}

/** Something that was written here and has no id of the server's yet. */
export interface Pending {
  unique_temp_id: string
}

export interface Entry<M extends ThreadMessage, P extends Pending> {
  key: string
  message?: M
  pending?: P
}

/** Compares ids of the server, which are too large for numbers. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Nothing in it is ever changed: every change makes a new thread, which shares the rest. */
export class Thread<M extends ThreadMessage, P extends Pending> {
  private constructor(
    private readonly messages: ReadonlyMap<string, M>,
    private readonly waiting: readonly P[],
    /** Whether the first message of the room is here. */
    readonly hasOldest: boolean,
  ) {}

  static empty<M extends ThreadMessage, P extends Pending>(): Thread<M, P> {
    return new Thread<M, P>(new Map(), [], false)
  }

  /** With messages that came from anywhere, in any order. What is newer here stays: a message that
   * is known to be deleted does not come back by a page that was read before. */
  merge(found: readonly M[], hasOldest = this.hasOldest): Thread<M, P> {
    const messages = new Map(this.messages)
    for (const message of found) {
      const known = messages.get(message.unique_temp_id)
      if (known?.is_deleted && !message.is_deleted) continue
      messages.set(message.unique_temp_id, message)
    }
    return new Thread(messages, this.waiting, hasOldest)
  }

  /** With what waits to be sent, in the order in which it was written. */
  withPending(waiting: readonly P[]): Thread<M, P> {
    return new Thread(this.messages, waiting, this.hasOldest)
  }

  /** Without these: they leave a trace unless they are gone for good. */
  delete(uniqueIds: readonly string[], trace: (message: M) => M | null): Thread<M, P> {
    const messages = new Map(this.messages)
    for (const id of uniqueIds) {
      const known = messages.get(id)
      if (known === undefined) continue
      const left = trace(known)
      if (left === null) messages.delete(id)
      else messages.set(id, left)
    }
    return new Thread(messages, this.waiting, this.hasOldest)
  }

  /** Oldest first; what waits stands last, unless the server has it already. */
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

  /** The ids between which everything is known. */
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
