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
export type Division = Schemas['Division']
export type CannedReply = Schemas['CannedReply']
export type ChannelRecord = Schemas['ChannelRecord']
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
/** A gateway of one's own, with its key. */
export type Channel = Schemas['ChannelRecord']
export type BotConfig = Schemas['BotConfig']
export type WidgetSettings = Schemas['WidgetSettings']
export type PreChatField = Schemas['PreChatField']

/** When the office is open, and what customers are told by itself. */
export type OfficeHours = Schemas['OfficeHours']
/** What customers of one channel are told by itself. */
export type ChannelTexts = Schemas['ShownChannelConfigs']

// Not in the document yet.
/** How an app is set. */
export interface AppSettings {
  app_name: string
  is_sessional: boolean
  is_agent_takeover_enabled: boolean
  allocation: { is_on: boolean; per_agent_max: number | null; per_room_max: number | null }
  grace_s: number | null
  time_zone: string
  languages: string[]
  waiting_amber_s: number | null
  waiting_red_s: number | null
  who_sees_resolved: 'served' | 'all'
  idle_resolve_minutes: number | null
  rating: { is_on: boolean }
  security: Record<string, string>
}

/** The app's keys without the keys: enough to tell one from another. */
export interface AppKeys {
  app_code: string
  sdk_secret: { is_set: boolean; last4?: string | null }
  secret_key: { last4: string }
  change: KeyChange | null
}
/** How far a change of the secret key is. */
export interface KeyChange {
  step: 'staged' | 'promoted'
  since?: string | null
  ends_at?: string | null
}
/** The keys themselves: shown for a moment, never kept. */
export interface RevealedKeys {
  secret_key?: string | null
  sdk_secret?: string | null
  staged_key?: string | null
}

/** Somewhere that somebody is signed in. */
export interface SignInEntry {
  id: string
  created_at: string
  seen_at: string
  browser?: string | null
  address?: string | null
  is_current: boolean
}

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

/** Something that somebody changed. */
export interface AuditEntry {
  id: string
  at: string
  actor?: Person | null
  actor_kind: string
  what: string
  target: { kind: string; id: string; name?: string | null }
  /** Only what differs. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
  address?: string | null
}
/** A message that has the words that were looked for. */
export interface FoundMessage {
  room_id: string
  comment_id: string
  sender: Person
  at: string
  text_cut: string
  /** From where to where the words are, in units of UTF-16. */
  matches: [number, number][]
  row: Row
}
export interface FoundContact {
  id: number
  name: string
  channel_name: string
  last_seen_at: string
  rooms: number
}
/** What was found; what was said after `indexed_until` is not found yet. */
export interface SearchPage {
  data: { messages: FoundMessage[]; contacts: FoundContact[] }
  meta: { after?: string | null; indexed_until?: string | null }
}
/** A customer, as the list of them shows one. */
export interface ListedContact {
  id: number
  name: string
  channel_id?: number | null
  channel_name?: string | null
  source?: string | null
  last_seen_at?: string | null
  rooms: number
  is_blocked: boolean
}

/** How the omnichannel calls answer. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}
