// What the server shows, by the names of its own document.
import type { components } from '../../../shared/api'

type Schemas = components['schemas']

export type Me = Schemas['Me'] & { user: MySoon; app: MyAppSoon }
export type Row = Schemas['CustomerRoom'] & RowSoon
export type Comment = Schemas['ClientComment']
export type PageMeta = Schemas['PageMeta']
export type Agent = Schemas['Agent']
export type CannedReply = Schemas['CannedReply']
export type CustomButton = Schemas['CustomButton']
export type ContactProperty = Schemas['ContactProperty']
export type Contact = Schemas['Contact']
export type Tag = Schemas['Tag']

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
  resolved_by?: Person | null
}

/** What colleagues tell each other about a customer. */
export interface Note {
  id: string
  text: string
  by: Person | null
  created_at: string
  updated_at: string
}

/** A step in the life of a conversation. */
export interface TrailStep {
  id: string
  what: string
  by: Person | null
  agent: Person | null
  at: string
}

/** A conversation of a customer, from its first message to its end. */
export interface PastConversation {
  id: string
  room_id: string
  channel: { id: number; name: string; source: string } | null
  opened_at: string
  resolved_at: string | null
  resolved_by: Person | null
  served_by: Person | null
  first_reply_at: string | null
  first_reply_by: Person | null
  notes: string | null
  first_comment_id: string | null
  last_comment_id: string | null
}

export interface Info {
  key: string
  value: string
}

/** What came of a custom button. */
export interface Press {
  delivery_id: number | string
  state: 'pending' | 'done' | 'failed'
  status_code: number | null
  reason: string | null
}

export interface UploadedFile {
  name: string
  size: number
  url: string
}
