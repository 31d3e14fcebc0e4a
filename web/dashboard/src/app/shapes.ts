// What the server shows, by the names of its own document.
import type { components } from '../../../shared/api'

type Schemas = components['schemas']

type MyUser = Schemas['MyUser']

/** Preferences are the page's own: the server keeps them as they are. */
export type Me = Omit<Schemas['Me'], 'user'> & {
  user: Omit<MyUser, 'preferences'> & { preferences?: unknown }
}
export type Row = Schemas['CustomerRoom']
export type Comment = Schemas['ClientComment']
export type PageMeta = Schemas['PageMeta']
export type Agent = Schemas['Agent']
export type CannedReply = Schemas['CannedReply']
export type CustomButton = Schemas['CustomButton']
export type ContactProperty = Schemas['ContactProperty']
export type Contact = Schemas['Contact']
export type Tag = Schemas['Tag']
/** A colleague, as the server names one where no more is needed. */
export type Person = Schemas['Person']
/** What the views of the inbox hold, as far as the caller may see. */
export type Counts = Schemas['InboxCounts']
export type ChannelName = Schemas['ChannelName']
/** What colleagues tell each other about a customer. */
export type Note = Schemas['Note']
/** A step in the life of a conversation. */
export type TrailStep = Schemas['TrailEntry']
/** A conversation of a customer, from its first message to its end. */
export type PastConversation = Schemas['RoomConversation']
export type Info = Schemas['InfoShape']
/** What came of a custom button. */
export type Press = Omit<Schemas['Press'], 'state'> & { state: 'pending' | 'done' | 'failed' }
export type UploadedFile = Schemas['SentFile']
export type WidgetSettings = Schemas['WidgetSettings']
export type PreChatField = Schemas['PreChatField']

/** What became of a webhook on its way to a receiver. */
export type Delivery = Schemas['Delivery']
export type Phases = Schemas['Phases']
/** A webhook as it was made, whether somebody is registered for it or not. */
export type HeardWebhook = Schemas['Event']
export type WantedEndpoint = Schemas['PutEndpoint']

// Not in the document yet.

/** Where the app is told of a kind. */
export type Endpoint = Schemas['Endpoint'] & {
  id?: string
  /** Of the button or the channel that it belongs to. */
  name?: string | null
  is_deletable?: boolean
}
export type Attempt = Schemas['Attempt'] & {
  /** What was sent with the body; signatures are masked where the body is. */
  headers?: Record<string, string> | null
}
export type DeliveryDetail = Omit<Schemas['DeliveryDetail'], 'attempt_list'> & {
  attempt_list: Attempt[]
}
/** Which key a signature was made with, and why it is no other. */
export interface SignatureVerdict {
  verdict: 'current' | 'staged' | 'other' | 'none'
  why: string
}
/** An office at this moment. */
export interface Board {
  queue: { waiting: number; longest_wait_since?: string | null; bot: number; open: number }
  agents: BoardAgent[]
  channels: { id: number; name: string; source: string; open: number; waiting: number }[]
}
export interface BoardAgent {
  id: number
  name: string
  avatar_url?: string | null
  role: string
  is_available: boolean
  force_offline: boolean
  serves: number
  /** Null for those whom nobody is given to. */
  serves_max?: number | null
  last_seen_at?: string | null
  divisions: string[]
}
/** Seconds; null where there were none. */
export interface Took {
  count: number
  median?: number | null
  p90?: number | null
}
export interface AnalyticsNumbers {
  opened: number
  resolved: number
  messages_in: number
  messages_out: number
  first_reply_s: Took
  resolve_s: Took
}
export type AnalyticsSummary = AnalyticsNumbers & {
  waiting_now: number
  zone: string
  from: string
  until: string
}
export interface AnalyticsPoint {
  at: string
  opened: number
  resolved: number
  messages_in: number
  messages_out: number
  first_reply_median_s?: number | null
  resolve_median_s?: number | null
}
export type AnalyticsRow = AnalyticsNumbers & { id: number; name: string }

/** How the omnichannel calls answer. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}
