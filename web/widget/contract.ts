// What the loader hands to the app, and what the server says about the widget of an app.

import type { Chat } from './state/chat'

/** `data` of `GET /api/v2/widget/{app_code}`, as far as it is read here. */
export interface Settings {
  app: { code: string; name: string }
  /** The word in headers and paths. */
  brand: string
  theme: { colour: string; position: 'start' | 'end'; scheme: 'auto' | 'light' | 'dark' }
  languages: string[]
  /** By language. What is missing is said in the widget's own words. */
  texts: Record<string, { title?: string; welcome?: string; away?: string } | undefined>
  fields: Field[]
  upload: { max_bytes: number; types: string[] }
  is_identity_required: boolean
  is_anybody_there: boolean
  is_sessional: boolean
}

/** What a visitor is asked before the first message. */
export interface Field {
  key: string
  label: Record<string, string | undefined>
  type: 'text' | 'email' | 'phone'
  is_required: boolean
}

/** Things that the page can listen to. */
export type EventName = 'ready' | 'open' | 'close' | 'message' | 'unread'

/** Signs a nonce for whoever is signed in to the page, on the page's own server. */
export type Signer = (nonce: string) => string | Promise<string>

export interface MountOptions {
  /** Where the app draws, within a shadow root. */
  root: HTMLElement
  /** The chat server, with a slash at its end. */
  base: string
  settings: Settings
  language: Language
  /** `page` fills the window and cannot be closed. */
  mode: 'widget' | 'page'
  /** Prepares what is shown instead of a conversation of somebody: nothing is read or written. */
  prepare?: (chat: Chat) => void
  emit: (name: EventName, detail?: unknown) => void
}

export interface Mounted {
  /** Does what the page asked for by `Confab(name, …)`. */
  run: (name: string, ...values: unknown[]) => void
}

export const LANGUAGES = ['en', 'id'] as const
export type Language = (typeof LANGUAGES)[number]
