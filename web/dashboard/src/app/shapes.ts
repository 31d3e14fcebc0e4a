// What the server shows, by the names of its own document.
import type { components } from '../../../shared/api'

type Schemas = components['schemas']

export type Me = Schemas['Me'] & { user: MySoon; app: MyAppSoon }
export type Row = Schemas['CustomerRoom'] & RowSoon
export type Comment = Schemas['ClientComment']
export type PageMeta = Schemas['PageMeta']

/** How the omnichannel calls answer. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}

/** A colleague, as the server names one where no more is needed. */
export interface Person {
  id: number
  name: string
}

/** What the views of the inbox hold, as far as the caller may see. */
export interface Counts {
  mine: number
  unassigned: number
  bot: number
  open: number
  resolved: number
  longest_wait_since: string | null
}

export interface ChannelName {
  id: number
  name: string
  source: string
  is_active: boolean
}

// Not in the document yet; to be replaced by what is generated from it.
interface MySoon {
  language?: string | null
  /** The page's own; see `preferences.ts`. */
  preferences?: unknown
}
interface MyAppSoon {
  waiting_amber_s?: number
  waiting_red_s?: number
}
interface RowSoon {
  channel_name?: string
  tags?: { id: number; name: string; colour: string | null }[]
  is_seen?: boolean
  last_comment_type?: string | null
  last_comment_id?: string | null
  version?: number
  opened_at?: string | null
  served_by?: Person | null
}
