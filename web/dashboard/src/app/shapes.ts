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
export type WidgetSettings = Schemas['WidgetSettings']
export type PreChatField = Schemas['PreChatField']

// Not in the document yet.
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
