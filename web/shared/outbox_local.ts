// An outbox store in the page's localStorage. Items are written synchronously, so that a page that
// is closed at once loses none. All tabs of an origin share the items; each item has its own key,
// because tabs that write one list would overwrite each other's items.

import type { OutboxItem, OutboxStore } from './outbox'

/** The used part of `Storage`. */
export interface TextStore {
  keys(): string[]
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export class LocalStore implements OutboxStore {
  constructor(
    private readonly texts: TextStore,
    /** Prefix of the key of each item. Storage events of such keys mean a changed outbox. */
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

  /** Deletes all items written before a time, in ms since the epoch, of any owner. */
  deleteBefore(before: number): void {
    for (const it of this.read()) if (it.written_at < before) void this.remove(it.unique_temp_id)
  }

  /** Returns the valid items. Other scripts of the page can write any value to localStorage. */
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

/** Checks the fields that could cause harm. Items of an unknown owner are never read, and the
 * server rejects an unknown room. */
function isItem(value: unknown): value is OutboxItem {
  const item = value as Partial<OutboxItem> | null
  return (
    typeof item?.unique_temp_id === 'string' &&
    typeof item.number === 'number' &&
    item.body instanceof Object
  )
}
