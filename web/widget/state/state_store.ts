// The widget's state stored on this device, shared by all tabs of the page's origin.

import { exclusively } from '../../shared/outbox'
import type { TextStore } from '../../shared/outbox_local'
import type { Language } from '../contract'

/** The customer's credentials and room. */
export interface Session {
  /** A visitor is identified by this device only; a known customer by the page's server. */
  kind: 'visitor' | 'known'
  userId: string
  token: string
  room: string
  /** Key of the customer, chosen by the page. A different key means a different customer. */
  key?: string
}

export interface Property {
  key: string
  value: string
}

export interface StoredState {
  /** The visitor's id, created before the first request so that closing the page does not lose it,
   * and the secret that the server returned. */
  visitor?: { id: string; secret?: string }
  session?: Session
  /** Answers of the form before the first message. */
  name?: string
  properties?: Property[]
  hasAnswered?: boolean
  language?: Language
  isSilent?: boolean
  /** Id of the newest message that was seen in any tab. */
  seen?: string
  /** Id of the newest message that made a sound in any tab. */
  rang?: string
  draft?: string
}

export class StateStore {
  readonly key: string

  constructor(
    app: string,
    readonly texts: TextStore = storage(),
  ) {
    this.key = `confab:${app}`
  }

  read(): StoredState {
    try {
      const state: unknown = JSON.parse(this.texts.getItem(this.key) ?? '{}')
      return typeof state === 'object' && state !== null ? state : {}
    } catch {
      return {}
    }
  }

  /** Merges changes into the stored state. Fields that are `undefined` are deleted. */
  change(changes: { [Key in keyof StoredState]: StoredState[Key] | undefined }): void {
    this.texts.setItem(this.key, JSON.stringify({ ...this.read(), ...changes }))
  }

  /** Deletes the stored state and all unsent messages: the next customer may be another person. */
  clear(): void {
    for (const key of this.texts.keys()) {
      if (`${key}:`.startsWith(this.outboxPrefix)) this.texts.removeItem(key)
    }
  }

  get outboxPrefix(): string {
    return `${this.key}:`
  }

  withLock<T>(work: () => Promise<T>): Promise<T> {
    return exclusively(this.key, work)
  }

  /** Whether the panel was open in this tab. The next page of the tab opens it again. */
  get wasOpen(): boolean {
    return tab().getItem(this.key) === 'open'
  }

  set wasOpen(isOpen: boolean) {
    if (isOpen) tab().setItem(this.key, 'open')
    else tab().removeItem(this.key)
  }
}

/** Returns localStorage, with memory instead where it is missing, blocked or full. */
function storage(): TextStore {
  return withMemoryFallback(() => localStorage)
}

function tab(): TextStore {
  return withMemoryFallback(() => sessionStorage)
}

const memory = new Map<string, string>()

function withMemoryFallback(open: () => Storage): TextStore {
  const attempt = <T>(work: (store: Storage) => T): T | undefined => {
    try {
      return work(open())
    } catch {
      return undefined
    }
  }
  return {
    keys: () => [...memory.keys(), ...(attempt(Object.keys) ?? [])],
    getItem: (key) => attempt((it) => it.getItem(key)) ?? memory.get(key) ?? null,
    setItem(key, value) {
      memory.set(key, value)
      attempt((it) => {
        it.setItem(key, value)
        memory.delete(key)
      })
    },
    removeItem(key) {
      memory.delete(key)
      attempt((it) => it.removeItem(key))
    },
  }
}
