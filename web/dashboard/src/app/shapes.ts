// The types of the API, taken from its OpenAPI document.
import type { components } from '../../../shared/api'

type Schemas = components['schemas']

type MyUser = Schemas['MyUser']

/** The signed-in user. Preferences are untyped, because the server stores them without interpreting
 * them. */
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
/** A tag of the app, with the number of its rooms. */
export type AppTag = Schemas['AppTag']
/** An agent, with id and name only. */
export type Person = Schemas['Person']
/** The number of conversations in each view of the inbox that the caller may see. */
export type Counts = Schemas['InboxCounts']
/** The result of a bulk action for one conversation. */
export type BulkResult = Schemas['BulkResult']
export type ChannelName = Schemas['ChannelName']
/** A message template that the provider approved, with its placeholders. */
export type Template = Schemas['ChannelTemplate']
/** A note of an agent about a customer, hidden from the customer. */
export type Note = Schemas['Note']
/** An entry in the history of a conversation. */
export type TrailStep = Schemas['TrailEntry']
/** A session: a customer's conversation from its first message to its resolution. */
export type PastConversation = Schemas['RoomConversation']
export type Info = Schemas['InfoShape']
/** A press of a custom button, with the state of its webhook. */
export type Press = Omit<Schemas['Press'], 'state'> & { state: 'pending' | 'done' | 'failed' }
export type UploadedFile = Schemas['SentFile']
/** A custom channel, which connects through the app's own gateway, with its key. */
export type Channel = Schemas['ChannelRecord']
export type ChannelTest = Schemas['ChannelTest']
/** The health of a provider channel. */
export type ChannelHealth = Schemas['ConditionShape']
export type BotConfig = Schemas['BotConfig']
export type WidgetSettings = Schemas['WidgetSettings']
export type PreChatField = Schemas['PreChatField']

/** The office hours and the automatic replies inside and outside of them. */
export type OfficeHours = Schemas['OfficeHours']
/** The automatic replies of one channel. */
export type ChannelTexts = Schemas['ShownChannelConfigs']

export type AppSettings = Schemas['AppSettings']
/** One device or browser on which an agent is signed in. */
export type SignInEntry = Schemas['SignInList']['sign_ins'][number]
/** A link that signs an agent in once. */
export type SignInLink = Schemas['SignInLink']
/** An entry of the audit log; `before` and `after` contain changed fields only. */
export type AuditEntry = Schemas['AuditEntry']

/** The state of a secret key rotation. */
export type KeyChange = Omit<Schemas['KeyChange'], 'step'> & { step: 'staged' | 'promoted' }
/** The app's keys, reduced to their last characters. */
export type AppKeys = Omit<Schemas['AppKeys'], 'change'> & { change?: KeyChange | null }
/** The full keys. They are shown for a short time and never stored. */
export type RevealedKeys = Schemas['RevealedKeys']

/** An endpoint: a URL to which one kind of webhook is delivered. */
export type Endpoint = Schemas['Endpoint']
export type EndpointInput = Schemas['PutEndpoint']
/** The delivery of a webhook to one endpoint. */
export type Delivery = Schemas['Delivery']
export type DeliveryDetail = Schemas['DeliveryDetail']
export type Attempt = Schemas['Attempt']
export type Phases = Schemas['Phases']
/** A webhook as it was created, whether or not an endpoint is registered for it. */
export type CreatedWebhook = Schemas['Event']
/** The key that created a signature, and the reason if no key matches. */
export type SignatureVerdict = Schemas['SignatureVerdict'] & {
  verdict: 'current' | 'staged' | 'other' | 'none'
}

/** The current state of the queue, the agents and the channels. */
export type Board = Schemas['Board']
export type BoardAgent = Schemas['BoardAgent']
/** Median and 90th percentile of a duration, in seconds; null without data. */
export type DurationStats = Schemas['Numbers']['first_reply_s']
/** The number and average of the customers' ratings, from 1 to 5. */
export type Ratings = Schemas['Numbers']['rating']
export type AnalyticsSummary = Schemas['AnalyticsSummary']
export type AnalyticsPoint = Schemas['AnalyticsPoint']
export type AnalyticsRow = Schemas['AnalyticsRow']

/** A message that matches a search. The positions of its matches are UTF-16 code units. */
export type FoundMessage = Schemas['FoundMessage']
export type FoundContact = Schemas['FoundContactShape']
/** A page of search results. Messages after `indexed_until` are not indexed yet. */
export type SearchPage = Schemas['SearchPage']
/** A customer in the contact list. */
export type ListedContact = Schemas['ListedContact']

/** The body of an omnichannel response. */
export interface Data<T> {
  data: T
}

export interface Page<T> extends Data<T> {
  meta: PageMeta
}

export type RoomPage = Page<{ customer_rooms: Row[] }>
