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

export interface Kept {
  /** The visitor's id and secret. Created before the first request, so that closing the page does
   * not lose them. */
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

  /** Merges changes into the stored state. Fields that are `undefined` are deleted. */
  change(changes: { [Key in keyof Kept]: Kept[Key] | undefined }): void {
    this.store.setItem(this.key, JSON.stringify({ ...this.read(), ...changes }))
  }

  /** Deletes the stored state and all unsent messages: the next customer may be another person. */
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
