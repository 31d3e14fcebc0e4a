//! What a provider tells: one event for each element of its arrays.

use std::fmt;

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;

use super::inbound_message::InboundMessage;
use super::provider::Provider;

/// Something that happened at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderEvent {
    /// A repetition of the same event has the same key, and no other of the channel has it.
    pub key: String,
    /// Events of one lane are handled in order. Empty: the channel's own.
    pub lane: String,
    /// What the channel is called at the provider, where one address serves several channels.
    pub account: Option<String>,
    /// The customer whom it is about.
    pub customer: Option<Contact>,
    /// When it happened, by the provider's clock.
    pub at: Option<Timestamp>,
    /// What LINE lets us reply with for free, once and within a minute.
    pub reply_token: Option<ReplyToken>,
    pub heard: EventContent,
    /// The element's own JSON: `read` makes this event of it, and no other.
    pub body: JsonText,
}

/// A token for one free reply. Whoever has it could answer the customer: it is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplyToken(pub String);

impl fmt::Debug for ReplyToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyToken")
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventContent {
    /// The customer said something.
    PostedMessage(Utterance),
    /// The business said something, through us or with another tool.
    Echoed(Echo),
    /// What became of something that we sent.
    Status(Status),
    /// The customer changed what they said.
    Edited(Utterance),
    /// The customer took back what they said, by its id at the provider.
    Deleted(String),
    /// The customer reacted to a message.
    Reacted(Reaction),
    /// The customer pressed a button.
    Pressed(Press),
    /// The customer has other ids from now on.
    Moved { old: Vec<ExternalId>, new: Vec<ExternalId> },
    /// The customer wants to hear nothing more: why, in plain words.
    Left(String),
    /// Nothing for a room; health shows what it was.
    IgnoredReason(IgnoredReason),
    /// It cannot be posted as anybody's message: why, in plain words. It must stay visible.
    Refused(String),
}

/// Words of a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    /// The message at the provider; with the place in `inbound_messages` it is a key forever.
    pub id: String,
    /// Each becomes one message; the first is part 0.
    pub inbound_messages: Vec<InboundMessage>,
}

/// Words of the business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Echo {
    pub told: Utterance,
    /// What we sent with it, if it is ours: the delivery arrived.
    pub tag: Option<SendTag>,
}

/// What became of a message of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub of: StatusOf,
    pub state: State,
    /// Why it failed: the provider's code and its words.
    pub failure: Option<Failure>,
    /// What we sent with it: it needs no search then.
    pub tag: Option<SendTag>,
}

/// Which messages a status is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusOf {
    /// These, by their ids at the provider.
    Messages(Vec<String>),
    /// Those of these that were sent to one of these addresses. Anybody can send such a report.
    SentTo { messages: Vec<String>, addresses: Vec<String> },
    /// All that the customer was sent until then.
    Until(Timestamp),
}

/// How far a message came. It only rises (channel facts 1, rule 7).
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
    /// For people who work in the app.
    pub why: String,
    /// Only templates reach the customer now.
    pub is_window_closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The message at the provider.
    pub to: String,
    /// Nothing if it was taken back.
    pub emoji: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Press {
    /// The press at the provider: a key forever, as that of a message.
    pub id: String,
    pub button: PressedButton,
    /// The label that the customer saw, where the provider tells it.
    pub title: Option<String>,
    /// What the press is answered by, where the provider waits for it.
    pub query: Option<String>,
}

/// Which button was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PressedButton {
    /// One of a message of ours, counted from 0 through all of its cards.
    Ours { message: MessageId, place: u32 },
    /// One that another tool or a template made, with what it carries.
    Foreign(String),
}

/// Why an event makes no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoredReason {
    /// From a group or a public channel: only private chats are served.
    Group,
    /// Nobody needs to know.
    Nothing,
    /// Of a kind that is not known here: its name.
    Unknown(String),
    /// The provider tells of its own trouble: its words.
    StoreProblem(String),
}

/// A customer as the provider calls them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Every id that the event names. They are answered at the first.
    pub ids: Vec<ExternalId>,
    /// What they are called in the app if nobody knows any of their ids.
    pub user_id: String,
    pub name: Option<String>,
    /// The name they chose at the provider.
    pub username: Option<String>,
    /// As `id` or `pt-br`.
    pub language: Option<String>,
}

impl Contact {
    /// Where they are answered: the id that they wrote from (channel facts 1, rule 4).
    pub fn address(&self) -> Option<&ExternalId> {
        self.ids.first()
    }

    /// The id that changes least: of WhatsApp's, the one that is in every webhook, where the number
    /// may be missing.
    pub(super) fn lane(&self) -> String {
        let scoped = self.ids.iter().find(|id| id.kind == IdKind::BusinessScoped);
        scoped.or(self.address()).map_or_else(String::new, |id| id.value.clone())
    }

    /// Somebody with these ids; nothing if there are none.
    pub(super) fn of(provider: Provider, ids: Vec<ExternalId>) -> Option<Self> {
        let user_id = provider.user_id(&ids.first()?.value);
        Some(Self { ids, user_id, name: None, username: None, language: None })
    }
}

/// What a provider tells of a customer when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    pub picture_url: Option<String>,
}

/// One of the ids of a customer.
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

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A private chat of Telegram.
    Chat,
    /// A phone number at WhatsApp, digits only.
    Number,
    /// A customer of one business portfolio at WhatsApp (BSUID).
    BusinessScoped,
    /// The same across the portfolios of one enterprise.
    ParentScoped,
    /// A customer of one page, or of one account of LINE.
    User,
    /// An address of e-mail, in lower case.
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

    /// As it is stored.
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

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Our own name of what we sent, which some providers give back with statuses and echoes.
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

    /// Nothing if it is another tool's.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let [delivery, room, message] = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(Self { delivery, room, message })
    }
}
