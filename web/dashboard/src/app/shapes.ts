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
/** A tag of the app, with on how many rooms it is. */
export type AppTag = Schemas['AppTag']
/** A colleague, as the server names one where no more is needed. */
export type Person = Schemas['Person']
/** What the views of the inbox hold, as far as the caller may see. */
export type Counts = Schemas['InboxCounts']
/** What became of one of many conversations. */
export type BulkResult = Schemas['BulkResult']
export type ChannelName = Schemas['ChannelName']
/** What a service approved, with the places that it leaves open. */
export type Template = Schemas['ChannelTemplate']
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
/** What a test of a channel led to. */
export type ChannelTest = Schemas['ChannelTest']
/** How a channel of a messenger's service is. */
export type ChannelHealth = Schemas['ConditionShape']
export type BotConfig = Schemas['BotConfig']
export type WidgetSettings = Schemas['WidgetSettings']
export type PreChatField = Schemas['PreChatField']

/** When the office is open, and what customers are told by itself. */
export type OfficeHours = Schemas['OfficeHours']
/** What customers of one channel are told by itself. */
export type ChannelTexts = Schemas['ShownChannelConfigs']

/** How an app is set. */
export type AppSettings = Schemas['AppSettings']
/** Somewhere that somebody is signed in. */
export type SignInEntry = Schemas['SignInList']['sign_ins'][number]
/** A link that signs somebody in once. */
export type SignInLink = Schemas['SignInLink']
/** Something that somebody changed; of before and after only what differs. */
export type AuditEntry = Schemas['AuditEntry']

/** How far a change of the secret key is. */
export type KeyChange = Omit<Schemas['KeyChange'], 'step'> & { step: 'staged' | 'promoted' }
/** The app's keys without the keys: enough to tell one from another. */
export type AppKeys = Omit<Schemas['AppKeys'], 'change'> & { change?: KeyChange | null }
/** The keys themselves: shown for a moment, never kept. */
export type RevealedKeys = Schemas['RevealedKeys']

/** Where the app is told of a kind. */
export type Endpoint = Schemas['Endpoint']
export type WantedEndpoint = Schemas['PutEndpoint']
/** What became of a webhook on its way to a receiver. */
export type Delivery = Schemas['Delivery']
export type DeliveryDetail = Schemas['DeliveryDetail']
export type Attempt = Schemas['Attempt']
export type Phases = Schemas['Phases']
/** A webhook as it was made, whether somebody is registered for it or not. */
export type HeardWebhook = Schemas['Event']
/** Which key a signature was made with, and why it is no other. */
export type SignatureVerdict = Schemas['Verdict'] & {
  verdict: 'current' | 'staged' | 'other' | 'none'
}

/** An office at this moment. */
export type Board = Schemas['Board']
export type BoardAgent = Schemas['BoardAgent']
/** Seconds; null where there were none. */
export type Took = Schemas['Numbers']['first_reply_s']
/** How often customers said how it was, and what on average: from 1 to 5 (D-0136). */
export type Ratings = Schemas['Numbers']['rating']
export type AnalyticsSummary = Schemas['AnalyticsSummary']
export type AnalyticsPoint = Schemas['AnalyticsPoint']
export type AnalyticsRow = Schemas['AnalyticsRow']

/** A message that has the words that were looked for; where they are in units of UTF-16. */
export type FoundMessage = Schemas['FoundMessage']
export type FoundContact = Schemas['FoundContactShape']
/** What was found; what was said after `indexed_until` is not found yet. */
export type SearchPage = Schemas['SearchPage']
/** A customer, as the list of them shows one. */
export type ListedContact = Schemas['ListedContact']

/** How the omnichannel calls answer. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}
