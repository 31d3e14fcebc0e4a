//! Events of providers. A webhook that contains several elements becomes one event per element.

use std::fmt;

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;

use super::inbound_message::InboundMessage;
use super::provider::Provider;

/// An event that a provider reports, such as a customer's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderEvent {
    /// Unique key of the event in its channel; a repetition of the event has the same key.
    pub key: String,
    /// Name of the event's lane; events of a lane are handled in order. Empty for the channel's own
    /// lane, which contains events without a customer.
    pub lane: String,
    /// Provider's id of the business account, if several channels share one webhook URL.
    pub account: Option<String>,
    /// The customer whom the event concerns, if any.
    pub customer: Option<Contact>,
    /// Time of the event by the provider's clock.
    pub at: Option<Timestamp>,
    /// LINE's token for a free reply, valid once and for a minute.
    pub reply_token: Option<ReplyToken>,
    pub content: EventContent,
    /// JSON of the webhook's element, from which `read` returns exactly this event.
    pub body: JsonText,
}

/// A LINE token for one free reply. It is secret, because its holder can answer the customer.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplyToken(pub String);

impl fmt::Debug for ReplyToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyToken")
    }
}

/// Content of a provider event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventContent {
    /// Messages from the customer.
    Posted(Utterance),
    /// Messages from the business, sent by this server or with another tool.
    Echoed(Echo),
    /// Delivery state of a message that we sent.
    Status(Status),
    /// An edit of a message by the customer.
    Edited(Utterance),
    /// Deletion of a message by the customer, with its id at the provider.
    Deleted(String),
    /// A reaction of the customer to a message.
    Reacted(Reaction),
    /// A button press by the customer.
    Pressed(Press),
    /// A change of the customer's ids.
    Moved { old: Vec<ExternalId>, new: Vec<ExternalId> },
    /// The customer blocked the business's account; the text is an explanation for staff.
    Left(String),
    /// An event without effect on a room, with the reason.
    Ignored(IgnoredReason),
    /// A message that cannot be attributed to a customer, with the reason. The caller must report
    /// it instead of dropping it.
    Refused(String),
}

/// The messages that one event contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    /// Provider's id of the message. Together with a position in `inbound_messages`, it is a
    /// permanent unique key.
    pub id: String,
    /// Messages of the event, in order; the first is part 0.
    pub inbound_messages: Vec<InboundMessage>,
}

/// Messages that the business sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Echo {
    pub utterance: Utterance,
    /// Tag of the delivery, if this server sent the message. It proves that the delivery arrived.
    pub tag: Option<SendTag>,
}

/// A provider's report on the delivery state of messages that we sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub of: StatusOf,
    pub state: State,
    /// Code and explanation of the provider if sending failed.
    pub failure: Option<Failure>,
    /// Tag that we sent with the message, if the provider returns it. It identifies the delivery
    /// without a lookup.
    pub tag: Option<SendTag>,
}

/// The messages that a status is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusOf {
    /// Messages with these ids at the provider.
    Messages(Vec<String>),
    /// Messages of this list that were sent to one of the addresses. The addresses are compared
    /// because a mail that reports a failed delivery can be forged.
    SentTo { messages: Vec<String>, addresses: Vec<String> },
    /// All messages that were sent to the customer until this time.
    Until(Timestamp),
}

/// Delivery state of a sent message. A message never returns to an earlier state (channel facts 1,
/// rule 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Sent,
    Delivered,
    Read,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    /// Explanation of the failure for staff.
    pub why: String,
    /// Whether WhatsApp's 24-hour customer service window was closed, so that only templates can
    /// reach the customer.
    pub is_window_closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// Provider's id of the message to which the customer reacted.
    pub to: String,
    /// The emoji; `None` if the reaction was removed.
    pub emoji: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Press {
    /// Provider's id of the press, which is a permanent unique key.
    pub id: String,
    pub button: PressedButton,
    /// Label that the customer saw, if the provider reports it.
    pub title: Option<String>,
    /// Id with which the press must be answered, if the provider waits for an answer, as Telegram
    /// does.
    pub query: Option<String>,
}

/// The button that was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PressedButton {
    /// A button of our message; `place` counts from 0 across all of its cards.
    Ours { message: MessageId, place: u32 },
    /// A button of another tool or of a template, with the button's payload.
    Foreign(String),
}

/// Reason why an event does not become a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoredReason {
    /// The event comes from a group or a public channel; only private chats are supported.
    Group,
    /// The event is irrelevant or incomplete.
    Nothing,
    /// The event is of a kind that is not handled; the text names the kind.
    Unknown(String),
    /// The event reports a problem of the provider; the text is the provider's explanation.
    Trouble(String),
}

/// A customer with the ids and names that the provider reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// All ids that the event contains; answers are sent to the first one.
    pub ids: Vec<ExternalId>,
    /// Id of the user to create if none of the ids belongs to a registered customer.
    pub user_id: String,
    pub name: Option<String>,
    /// User name at the provider.
    pub username: Option<String>,
    /// Language code, such as `id` or `pt-br`.
    pub language: Option<String>,
}

impl Contact {
    /// Returns the address for answers: the id from which the customer wrote (channel facts 1, rule
    /// 4).
    pub fn address(&self) -> Option<&ExternalId> {
        self.ids.first()
    }

    /// Returns the customer's most stable id, which names the lane of the customer's events. In
    /// WhatsApp this is the business-scoped id, which every webhook contains; the phone number may
    /// be absent.
    pub(super) fn lane(&self) -> String {
        let scoped = self.ids.iter().find(|id| id.kind == IdKind::BusinessScoped);
        scoped.or(self.address()).map_or_else(String::new, |id| id.value.clone())
    }

    /// Creates a customer with these ids; `None` if the list is empty.
    pub(super) fn of(provider: Provider, ids: Vec<ExternalId>) -> Option<Self> {
        let user_id = provider.user_id(&ids.first()?.value);
        Some(Self { ids, user_id, name: None, username: None, language: None })
    }
}

/// Profile of a customer at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerProfile {
    pub name: String,
    pub picture_url: Option<String>,
}

/// An id of a customer at a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalId {
    pub kind: IdKind,
    pub value: String,
}

impl ExternalId {
    pub(super) fn of(kind: IdKind, value: Option<String>) -> Option<Self> {
        value.map(|value| Self { kind, value })
    }
}

/// Kind of a customer's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// Id of a private chat in Telegram.
    Chat,
    /// WhatsApp phone number, digits only.
    Number,
    /// WhatsApp id within one business portfolio (BSUID).
    BusinessScoped,
    /// WhatsApp id across the portfolios of one enterprise.
    ParentScoped,
    /// Id of a user within one Facebook page, Instagram account or LINE account.
    User,
    /// E-mail address in lower case.
    Address,
}

impl IdKind {
    const ALL: [Self; 6] = [
        Self::Chat,
        Self::Number,
        Self::BusinessScoped,
        Self::ParentScoped,
        Self::User,
        Self::Address,
    ];

    /// Returns the name of the kind as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Number => "number",
            Self::BusinessScoped => "business_scoped",
            Self::ParentScoped => "parent_scoped",
            Self::User => "user",
            Self::Address => "address",
        }
    }

    /// Parses the stored name of a kind.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Our reference to a sent message, which some providers return in statuses and echoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendTag {
    pub delivery: i64,
    pub room: i64,
    pub message: i64,
}

impl SendTag {
    pub(super) fn written(self) -> String {
        format!("{}.{}.{}", self.delivery, self.room, self.message)
    }

    /// Parses a tag; `None` if it belongs to another tool.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let [delivery, room, message] = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(Self { delivery, room, message })
    }
}
