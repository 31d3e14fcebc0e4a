// Outbox stores: IndexedDB, or memory in browsers without it (some private windows).

import type { OutboxItem, OutboxStore } from './outbox'

const TABLE = 'outbox'

/** Opens the database, or returns a memory store if that fails. */
export async function openStore(name: string): Promise<OutboxStore> {
  try {
    return new DatabaseStore(await open(name))
  } catch {
    return new MemoryStore()
  }
}

/** Keeps items until the page is closed. */
export class MemoryStore implements OutboxStore {
  private readonly items = new Map<string, OutboxItem>()

  async all(owner: string): Promise<OutboxItem[]> {
    return [...this.items.values()].filter((it) => it.owner === owner)
  }

  async put(item: OutboxItem): Promise<void> {
    this.items.set(item.unique_temp_id, item)
  }

  async remove(uniqueId: string): Promise<void> {
    this.items.delete(uniqueId)
  }
}

class DatabaseStore implements OutboxStore {
  constructor(private readonly database: IDBDatabase) {}

  async all(owner: string): Promise<OutboxItem[]> {
    const items = await done<OutboxItem[]>(this.table('readonly').getAll())
    return items.filter((it) => it.owner === owner)
  }

  put(item: OutboxItem): Promise<void> {
    return this.write((table) => table.put(item), 'relaxed')
  }

  settle(uniqueId: string): Promise<void> {
    return this.write((table) => {
      const request: IDBRequest<OutboxItem | undefined> = table.get(uniqueId)
      request.onsuccess = () => request.result && table.put(request.result)
    }, 'strict')
  }

  remove(uniqueId: string): Promise<void> {
    return this.write((table) => table.delete(uniqueId), 'relaxed')
  }

  /** Changes the table in one transaction. With `strict` durability it resolves once the change is
   * on disk, as far as the browser guarantees that. */
  private write(
    change: (table: IDBObjectStore) => void,
    durability: 'strict' | 'relaxed',
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(TABLE, 'readwrite', { durability })
      change(transaction.objectStore(TABLE))
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
  }

  private table(mode: IDBTransactionMode): IDBObjectStore {
    return this.database.transaction(TABLE, mode).objectStore(TABLE)
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () =>
    request.result.createObjectStore(TABLE, { keyPath: 'unique_temp_id' })
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
