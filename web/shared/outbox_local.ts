// The outbox in the page's localStorage: it is written before the function returns, so that not even
// a page that goes away at once loses what was written. All tabs of an origin share it.

import type { OutboxItem, OutboxStore } from './outbox'

/** The part of `Storage` that is needed. */
export interface TextStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export class LocalStore implements OutboxStore {
  constructor(
    private readonly texts: TextStore,
    /** Where it is kept; others may look for changes of it. */
    readonly key: string,
  ) {}

  async all(owner: string): Promise<OutboxItem[]> {
    return this.read().filter((it) => it.owner === owner)
  }

  async put(item: OutboxItem): Promise<void> {
    this.write([...this.without(item.unique_temp_id), item])
  }

  async remove(uniqueId: string): Promise<void> {
    this.write(this.without(uniqueId))
  }

  /** Forgets what was written before this time, whoever wrote it. */
  forget(before: number): void {
    this.write(this.read().filter((it) => it.written_at >= before))
  }

  private without(uniqueId: string): OutboxItem[] {
    return this.read().filter((it) => it.unique_temp_id !== uniqueId)
  }

  /** What is kept there may be anything: the page's own scripts reach it, too. */
  private read(): OutboxItem[] {
    try {
      const items: unknown = JSON.parse(this.texts.getItem(this.key) ?? '[]')
      return Array.isArray(items) ? items.filter(isItem) : []
    } catch {
      return []
    }
  }

  private write(items: OutboxItem[]): void {
    if (items.length === 0) this.texts.removeItem(this.key)
    else this.texts.setItem(this.key, JSON.stringify(items))
  }
}

function isItem(value: unknown): value is OutboxItem {
  const item = value as Partial<OutboxItem> | null
  return (
    typeof item?.unique_temp_id === 'string' &&
    typeof item.owner === 'string' &&
    typeof item.room_id === 'string' &&
    typeof item.number === 'number' &&
    typeof item.body === 'object' &&
    item.body !== null
  )
}
