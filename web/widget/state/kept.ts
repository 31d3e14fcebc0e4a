// What the widget keeps on this device, for all tabs of the page's origin.

import { exclusively } from '../../shared/outbox'
import type { TextStore } from '../../shared/outbox_local'
import type { Language } from '../contract'

/** Who the customer is to the server, and where they talk. */
export interface Session {
  /** A visitor is known by this device only; others are vouched for by the page's server. */
  kind: 'visitor' | 'known'
  userId: string
  token: string
  room: string
  /** What the page called them by, to see whether it is still the same person. */
  key?: string
}

export interface Property {
  key: string
  value: string
}

export interface Kept {
  /** Made here before the first message, so that a page that goes away loses nothing. */
  visitor?: { id: string; secret?: string }
  session?: Session
  /** What was answered before the first message. */
  name?: string
  properties?: Property[]
  hasAnswered?: boolean
  language?: Language
  isSilent?: boolean
  /** The newest message that somebody looked at, in any tab. */
  seen?: string
  /** The newest message that made a sound, in any tab. */
  rang?: string
  draft?: string
}

export class Keeper {
  readonly key: string

  constructor(
    app: string,
    readonly store: TextStore = storage(),
  ) {
    this.key = `confab:${app}`
  }

  read(): Kept {
    try {
      const kept: unknown = JSON.parse(this.store.getItem(this.key) ?? '{}')
      return typeof kept === 'object' && kept !== null ? kept : {}
    } catch {
      return {}
    }
  }

  /** Changes some of it; what is `undefined` is not kept any more. */
  change(changes: { [Key in keyof Kept]: Kept[Key] | undefined }): void {
    this.store.setItem(this.key, JSON.stringify({ ...this.read(), ...changes }))
  }

  /** Leaves nothing: whoever comes next may be somebody else. */
  forget(): void {
    for (const key of this.store.keys()) {
      if (`${key}:`.startsWith(this.outboxPrefix)) this.store.removeItem(key)
    }
  }

  get outboxPrefix(): string {
    return `${this.key}:`
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return exclusively(this.key, work)
  }

  /** Whether the panel was open in this tab: it is again on the next page. */
  get wasOpen(): boolean {
    return tab().getItem(this.key) === 'open'
  }

  set wasOpen(isOpen: boolean) {
    if (isOpen) tab().setItem(this.key, 'open')
    else tab().removeItem(this.key)
  }
}

/** Some pages have no storage, or one that is full: then it lasts as long as the page. */
function storage(): TextStore {
  return sturdy(() => localStorage)
}

function tab(): TextStore {
  return sturdy(() => sessionStorage)
}

const memory = new Map<string, string>()

function sturdy(open: () => Storage): TextStore {
  const tried = <T>(work: (store: Storage) => T): T | undefined => {
    try {
      return work(open())
    } catch {
      return undefined
    }
  }
  return {
    keys: () => [...memory.keys(), ...(tried(Object.keys) ?? [])],
    getItem: (key) => tried((it) => it.getItem(key)) ?? memory.get(key) ?? null,
    setItem(key, value) {
      memory.set(key, value)
      tried((it) => {
        it.setItem(key, value)
        memory.delete(key)
      })
    },
    removeItem(key) {
      memory.delete(key)
      tried((it) => it.removeItem(key))
    },
  }
}
