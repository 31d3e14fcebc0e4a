// The outbox in the page's localStorage: it is written before the function returns, so that not even
// a page that goes away at once loses what was written. All tabs of an origin share it; each item
// has a key of its own, because tabs that wrote one list would overwrite each other's.

import type { OutboxItem, OutboxStore } from './outbox'

/** The part of `Storage` that is needed. */
export interface TextStore {
  keys(): string[]
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export class LocalStore implements OutboxStore {
  constructor(
    private readonly texts: TextStore,
    /** What the key of each item begins with; others may look for changes of these. */
    readonly prefix: string,
  ) {}

  async all(owner: string): Promise<OutboxItem[]> {
    return this.read().filter((it) => it.owner === owner)
  }

  async put(item: OutboxItem): Promise<void> {
    this.texts.setItem(this.prefix + item.unique_temp_id, JSON.stringify(item))
  }

  async remove(uniqueId: string): Promise<void> {
    this.texts.removeItem(this.prefix + uniqueId)
  }

  /** Forgets what was written before this time, whoever wrote it. */
  forget(before: number): void {
    for (const it of this.read()) if (it.written_at < before) void this.remove(it.unique_temp_id)
  }

  /** What is kept there may be anything: the page's own scripts reach it, too. */
  private read(): OutboxItem[] {
    return this.texts.keys().flatMap((key) => {
      try {
        const item: unknown = JSON.parse(this.texts.getItem(key) as string)
        return key.startsWith(this.prefix) && isItem(item) ? item : []
      } catch {
        return []
      }
    })
  }
}

/** What could do harm is looked at; a wrong owner is nobody, and a wrong room is refused. */
function isItem(value: unknown): value is OutboxItem {
  const item = value as Partial<OutboxItem> | null
  return (
    typeof item?.unique_temp_id === 'string' &&
    typeof item.number === 'number' &&
    item.body instanceof Object
  )
}
