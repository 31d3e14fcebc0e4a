// The interface between loader and app, and the widget's settings as the server sends them.

/** `data` of `GET /api/v2/widget/{app_code}`: the fields that the widget reads. */
export interface Settings {
  app: { code: string; name: string }
  /** Brand in header names and paths. */
  brand: string
  theme: { colour: string; position: 'start' | 'end'; scheme: 'auto' | 'light' | 'dark' }
  languages: string[]
  /** Texts chosen by the app, by language. Missing ones are replaced by the widget's own. */
  texts: Record<string, { title?: string; welcome?: string; away?: string } | undefined>
  fields: Field[]
  upload: { max_bytes: number; types: string[] }
  is_identity_required: boolean
  is_anybody_there: boolean
  is_sessional: boolean
}

/** A form field shown before the first message. */
export interface Field {
  key: string
  label: Record<string, string | undefined>
  type: 'text' | 'email' | 'phone'
  is_required: boolean
}

/** Events that the page can subscribe to. */
export type EventName = 'ready' | 'open' | 'close' | 'message' | 'unread'

/** Signs a nonce on the page's own server. Returns the identity token of the page's user. */
export type Signer = (nonce: string) => string | Promise<string>

export interface MountedWidget {
  /** Runs a command of the page: `Confab(name, …)`. */
  run: (name: string, ...values: unknown[]) => void
}

export const LANGUAGES = ['en', 'id'] as const
export type Language = (typeof LANGUAGES)[number]
